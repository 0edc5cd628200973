"""Checks that fail the step."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import Command, ExitCode

Expectation = Annotated[str, Meta(max_length=4000)]


class AssertShellArgs(Args, frozen=True, kw_only=True):
    command: Command
    exit_code: ExitCode | None = 0
    equals: Annotated[Expectation | None, Meta(description="What the output must be, without surrounding space.")] = (
        None
    )
    contains: Annotated[Expectation | None, Meta(description="What the output must contain.")] = None
    matches: Annotated[
        Expectation | None, Meta(description="A regular expression that the output must match somewhere.")
    ] = None


class AssertShellOutput(Output, frozen=True, kw_only=True):
    exit_code: int
    stdout: str


ACTIONS = (
    ActionSpec(
        name="assert.shell",
        summary="Run a command that only reads, in the device's shell; fail unless its output is as told.",
        args=AssertShellArgs,
        output=AssertShellOutput,
        repeatable=True,
        exclusive=(("equals", "contains", "matches"),),
    ),
)
