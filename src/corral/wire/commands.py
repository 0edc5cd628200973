"""Command assets, sent and listed."""

from typing import Annotated

from msgspec import Meta, Struct, field

from corral.model.records import Command
from corral.workflow import CommandAsset

Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=100)]


class CommandBody(CommandAsset, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reusable step, and tags to find it by."""

    tags: Tags = field(default_factory=list)


class CommandPage(Struct, frozen=True, kw_only=True):
    """Commands by name; `next` is the `after` of the following page, null on the last."""

    commands: list[Command]
    next: str | None
