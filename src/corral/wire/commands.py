"""Pages of command assets."""

from msgspec import Struct

from corral.model.records import Command


class CommandPage(Struct, frozen=True, kw_only=True):
    """Commands by name; `next` is the `after` of the following page, null on the last."""

    commands: list[Command]
    next: str | None
