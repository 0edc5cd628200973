"""Pages of command assets, and what is wrong with one that was not stored."""

from msgspec import Struct

from corral.model.records import Command
from corral.wire.problems import Flaw


class CommandPage(Struct, frozen=True, kw_only=True):
    """Commands by name; `next` is the `after` of the following page, null on the last."""

    commands: list[Command]
    next: str | None


class CommandCheck(Struct, frozen=True, kw_only=True):
    """Everything that storing this command would be refused for; nothing where it would not be."""

    problems: list[Flaw]
