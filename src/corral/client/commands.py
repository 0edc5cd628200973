"""Command assets: the reusable steps that playbooks are made of."""

from collections.abc import Iterator
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.records import Command, Json
from corral.wire.commands import CommandPage


class Commands:
    """`client.commands`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, command: Json) -> Command:
        """Store a command asset. Raises ConflictError where its name is taken, RecipeInvalidError."""
        return self._transport.send("POST", "/api/commands", Command, command)

    def get(self, command_id: UUID | str) -> Command:
        """Raises NotFoundError."""
        return self._transport.get(f"/api/commands/{command_id}", Command)

    def update(self, command_id: UUID | str, command: Json) -> Command:
        """Replace a command asset; playbooks that use it are outdated until they are saved again."""
        return self._transport.send("PUT", f"/api/commands/{command_id}", Command, command, is_repeatable=True)

    def delete(self, command_id: UUID | str) -> None:
        """Raises ConflictError while a playbook uses it."""
        self._transport.delete(f"/api/commands/{command_id}")

    def list(self, *, tag: str | None = None, most: int | None = None) -> Iterator[Command]:
        """Command assets by name, of one tag or of all."""

        def ask(after: str | None) -> "tuple[list[Command], str | None]":
            page = self._transport.get("/api/commands", CommandPage, {"tag": tag, "after": after})
            return page.commands, page.next

        return each_of(ask, most=most)
