"""Pages of playbooks, and what saving one would do."""

from msgspec import Struct

from corral.model.records import Playbook
from corral.wire.problems import Flaw


class PlaybookPage(Struct, frozen=True, kw_only=True):
    """Playbooks by name; `next` is the `after` of the following page, null on the last."""

    playbooks: list[Playbook]
    next: str | None


class PlaybookCheck(Struct, frozen=True, kw_only=True):
    """What a playbook would be compiled to, or else everything that is wrong with it.

    `text` is the recipe in YAML, null where there are problems. `saved_version` and `saved_text` are the newest version of
    the workflow that has the playbook's name: saving another text makes the version after it.
    """

    problems: list[Flaw]
    text: str | None
    saved_version: int | None
    saved_text: str | None
