"""Command assets: reusable steps. Each is checked by corral.workflow before it is stored."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Command
from corral.workflow import BUILT_IN, ActionSpec, CommandAsset, parse_command


class Commands:
    """The steps that playbooks are made of."""

    def __init__(self, database: Database, *, actions: Mapping[str, ActionSpec] = BUILT_IN) -> None:
        self._database = database
        self._actions = actions

    async def create_command(self, source: object, *, tags: Sequence[str] = (), actor: str | None = None) -> Command:
        """Store what corral.workflow lets through. Raises RecipeInvalidError, and ConflictError for a taken name."""
        command_id: UUID = await self._database.fetch_value(
            "select (corral.fn_create_command($1, $2, $3)).command_id", self._check(source), list(tags), actor
        )
        return await self.get(command_id)

    async def update_command(
        self, command_id: UUID, source: object, *, tags: Sequence[str] | None = None, actor: str | None = None
    ) -> Command:
        """Replace a command asset; playbooks that use it are outdated until they are saved again.

        Raises NotFoundError, RecipeInvalidError, and ConflictError for a taken name.
        """
        await self._database.fetch_value(
            "select (corral.fn_update_command($1, $2, $3, $4)).command_id",
            command_id,
            self._check(source),
            None if tags is None else list(tags),
            actor,
        )
        return await self.get(command_id)

    async def delete_command(self, command_id: UUID, *, actor: str | None = None) -> None:
        """Raises NotFoundError, and ConflictError naming the playbooks that use it."""
        await self._database.fetch_value("select corral.fn_delete_command($1, $2)", command_id, actor)

    async def get(self, command_id: UUID) -> Command:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.command_states where command_id = $1", command_id)
        if row is None:
            message = f"no command {command_id}"
            raise NotFoundError(message, path="command_id")
        return to_record(row, Command)

    async def list_by_name(self, names: Sequence[str]) -> list[Command]:
        """Those of the names that exist."""
        rows = await self._database.fetch(
            "select * from corral.command_states where name = any ($1) order by name", list(names)
        )
        return to_records(rows, Command)

    async def list(self, *, tag: str | None = None, after: str = "", limit: int = 100) -> list[Command]:
        """Commands by name, of one tag or of all, a page at a time: `after` is the last name seen."""
        rows = await self._database.fetch(
            "select * from corral.command_states where ($1::text is null or $1 = any (tags)) and name > $2"
            " order by name limit $3",
            tag,
            after,
            limit,
        )
        return to_records(rows, Command)

    def _check(self, source: object) -> object:
        return msgspec.to_builtins(parse_command(source, self._actions))


def to_asset(command: Command) -> CommandAsset:
    """A stored command as corral.workflow knows it."""
    return msgspec.convert(
        {
            "name": command.name,
            "uses": command.uses,
            "title": command.title or "",
            "description": command.description or "",
            "with": command.with_params,
            "params": command.params,
            "timeout_s": command.timeout_s,
            "timeout_bounds_s": command.timeout_bounds_s,
            "on_failure": command.on_failure,
            "retries": command.retries,
            "repeatable": command.repeatable,
        },
        CommandAsset,
    )
