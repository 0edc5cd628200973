"""Playbooks, sent and listed."""

from msgspec import Struct

from corral import workflow
from corral.model.records import Playbook


class PlaybookBody(workflow.Playbook, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ordered choice of command assets."""


class PlaybookPage(Struct, frozen=True, kw_only=True):
    """Playbooks by name; `next` is the `after` of the following page, null on the last."""

    playbooks: list[Playbook]
    next: str | None
