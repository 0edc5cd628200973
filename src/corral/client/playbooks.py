"""Playbooks: ordered choices of command assets."""

from collections.abc import Iterator
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import NotFoundError
from corral.model.records import Json, Playbook
from corral.wire.playbooks import PlaybookCheck, PlaybookPage


class Playbooks:
    """`client.playbooks`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def save(self, playbook: Json) -> Playbook:
        """Store a playbook under its name, together with the next version of its workflow. Raises RecipeInvalidError."""
        return self._transport.send("POST", "/api/playbooks", Playbook, playbook)

    def validate(self, playbook: Json) -> PlaybookCheck:
        """What saving the playbook would make of it, or everything that is wrong with it; nothing is written."""
        return self._transport.send("POST", "/api/playbooks/validate", PlaybookCheck, playbook, is_repeatable=True)

    def get(self, playbook_id: UUID | str) -> Playbook:
        """Raises NotFoundError."""
        return self._transport.get(f"/api/playbooks/{playbook_id}", Playbook)

    def find(self, name: str) -> Playbook:
        """A playbook by its name. Raises NotFoundError."""
        for playbook in self.list():
            if playbook.name == name:
                return playbook
        raise NotFoundError(f"no playbook {name}", path="playbook")

    def delete(self, playbook_id: UUID | str) -> None:
        """Delete a playbook; its workflow versions and their runs stay."""
        self._transport.delete(f"/api/playbooks/{playbook_id}")

    def list(self, *, most: int | None = None) -> Iterator[Playbook]:
        """Playbooks by name."""

        def ask(after: str | None) -> "tuple[list[Playbook], str | None]":
            page = self._transport.get("/api/playbooks", PlaybookPage, {"after": after})
            return page.playbooks, page.next

        return each_of(ask, most=most)
