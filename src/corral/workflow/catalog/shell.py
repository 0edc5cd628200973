"""Commands on the node itself."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, field

from corral.workflow.action_spec import ANYWHERE, ActionSpec, Args, OpenOutput
from corral.workflow.catalog.fields import Command, ExitCode

Argument = Annotated[str, Meta(max_length=20_000)]


class RunArgs(Args, frozen=True, kw_only=True):
    command: Annotated[
        Command | Annotated[list[Argument], Meta(min_length=1, max_length=1000)],
        Meta(description="A command line for the node's shell, or a program and its arguments without a shell."),
    ]
    environment: Annotated[dict[str, str], Meta(description="Environment variables to add.")] = field(
        default_factory=dict
    )
    stdin: Annotated[str, Meta(max_length=100_000)] = ""
    exit_code: ExitCode | None = 0


class RunOutput(OpenOutput, frozen=True, kw_only=True):
    exit_code: int
    stdout: str
    stderr: str


ACTIONS = (
    ActionSpec(
        name="shell.run",
        summary=(
            "Run a command on the node, in the job's own folder. Only where --allow-shell was given. "
            "The members of each line `OUTPUT: {…}` that it prints are yielded as well."
        ),
        args=RunArgs,
        output=RunOutput,
        modes=ANYWHERE,
        capability="shell",
    ),
)
