"""The contract of one action: what it is given, what it yields, how it may be treated. Nodes execute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from corral.model.errors import RecipeInvalidError
from corral.workflow.conform import Conformer
from corral.workflow.words import Mode

ActionMode = Literal["device", "distributed"]
DEVICE_ONLY: frozenset[ActionMode] = frozenset({"device"})
ANYWHERE: frozenset[ActionMode] = frozenset({"device", "distributed"})


class Args(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an action is given (`with`); each action that takes anything extends it."""


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What an action yields (`steps.<id>.output`); actions that yield anything extend it."""


class OpenOutput(Output, frozen=True, kw_only=True):
    """What an action yields that may yield more than can be named beforehand."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionSpec:
    """An action as recipes see it."""

    name: str
    summary: str
    args: type[msgspec.Struct] = Args
    output: type[msgspec.Struct] | None = Output
    """None when what it yields is not known beforehand: any member may then be used."""

    modes: frozenset[ActionMode] = DEVICE_ONLY
    repeatable: bool = False
    """Whether it may be repeated when it is unknown whether it happened."""

    capability: str | None = None
    """What a node must be able to do to be given this action."""

    default_timeout_s: float | None = None
    """Its own default, which counts when it is longer than the recipe's."""

    uploads: bool = False
    """Whether its default timeout is the recipe's upload_timeout_s."""

    duration_field: str | None = None
    """The argument, in seconds, that the step's timeout must leave room for."""

    exclusive: tuple[tuple[str, ...], ...] = ()
    """Arguments of which at most one may be given."""

    runs: str | None = None
    """For extensions: where nodes find the implementation, as `module:function`. Servers never import it."""

    @property
    def family(self) -> str:
        """What stands before the dot."""
        return self.name.partition(".")[0]

    @property
    def is_output_open(self) -> bool:
        """Whether it may yield more than its output names."""
        return self.output is None or issubclass(self.output, OpenOutput)

    def runs_in(self, mode: Mode) -> bool:
        """Whether recipes of this mode may use it. A local recipe is a distributed one on a single node."""
        return ("device" if mode == "device" else "distributed") in self.modes

    def args_schema(self) -> dict[str, Any]:
        """JSON Schema (2020-12) of what it is given, for forms."""
        return msgspec.json.schema(self.args)

    def output_schema(self) -> dict[str, Any]:
        """JSON Schema (2020-12) of what it yields."""
        return {"type": "object"} if self.output is None else msgspec.json.schema(self.output)

    def read_args(self, rendered: dict[str, Any]) -> Any:
        """The rendered `with` as the action's record, for nodes; raises RecipeInvalidError (code args_invalid)."""
        conformer = Conformer()
        args = conformer.build(rendered, self.args, "with")
        for names in self.exclusive:
            given = [name for name in names if rendered.get(name) is not None]
            if len(given) > 1:
                conformer.refuse("with", f"only one of {', '.join(names)} may be given")
        if conformer.problems:
            raise RecipeInvalidError(conformer.problems, code="args_invalid")
        return args
