"""Pages of playbooks."""

from msgspec import Struct

from corral.model.records import Playbook


class PlaybookPage(Struct, frozen=True, kw_only=True):
    """Playbooks by name; `next` is the `after` of the following page, null on the last."""

    playbooks: list[Playbook]
    next: str | None
