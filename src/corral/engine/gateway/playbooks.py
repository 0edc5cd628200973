"""Playbooks: ordered choices of command assets. Saving one compiles it to a workflow version."""

from collections.abc import Mapping, Sequence
from uuid import UUID

import msgspec

from corral.engine.database import Database, to_record, to_records
from corral.engine.gateway.commands import Commands, to_asset
from corral.model.errors import NotFoundError, RecipeInvalidError
from corral.model.records import Command, Playbook
from corral.workflow import BUILT_IN, ActionSpec, Recipe, compile_playbook, to_json
from corral.workflow.source import read_document


class Playbooks:
    """What the builder saves and runs are started from."""

    def __init__(self, database: Database, commands: Commands, *, actions: Mapping[str, ActionSpec] = BUILT_IN) -> None:
        self._database = database
        self._commands = commands
        self._actions = actions

    async def save_playbook(self, source: object, *, actor: str | None = None) -> Playbook:
        """Compile the playbook, then store it under its name together with the next version of its workflow.

        Raises RecipeInvalidError with paths into the playbook, and ConflictError where a command changed meanwhile:
        the caller may then save again.
        """
        document = _read(source)
        commands = await self._commands.list_by_name(_named_in(document))
        recipe = self._compile(document, commands)
        playbook_id: UUID = await self._database.fetch_value(
            "select (corral.fn_save_playbook($1, $2, $3, $4)).playbook_id",
            document,
            msgspec.json.decode(to_json(recipe)),
            {command.name: command.revision for command in commands},
            actor,
        )
        return await self.get(playbook_id)

    async def compile_playbook(self, source: object) -> Recipe:
        """What saving the playbook would make its workflow of. Writes nothing. Raises RecipeInvalidError as saving does."""
        document = _read(source)
        return self._compile(document, await self._commands.list_by_name(_named_in(document)))

    async def delete_playbook(self, playbook_id: UUID, *, actor: str | None = None) -> None:
        """Its workflow versions and their runs stay. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_delete_playbook($1, $2)", playbook_id, actor)

    async def get(self, playbook_id: UUID) -> Playbook:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.playbook_states where playbook_id = $1", playbook_id)
        if row is None:
            message = f"no playbook {playbook_id}"
            raise NotFoundError(message, path="playbook_id")
        return to_record(row, Playbook)

    async def list(self, *, after: str = "", limit: int = 100) -> list[Playbook]:
        """Playbooks by name, a page at a time: `after` is the last name seen."""
        rows = await self._database.fetch(
            "select * from corral.playbook_states where name > $1 order by name limit $2", after, limit
        )
        return to_records(rows, Playbook)

    def _compile(self, document: object, commands: Sequence[Command]) -> Recipe:
        assets = {command.name: to_asset(command) for command in commands}
        return compile_playbook(document, assets, self._actions)


def _read(source: object) -> object:
    try:
        return read_document(source)
    except RecipeInvalidError as invalid:
        raise RecipeInvalidError(invalid.problems, code="playbook_invalid") from None


def _named_in(document: object) -> list[str]:
    """The commands that a playbook names, whatever else may be wrong with it: the compiler says what."""
    steps = document.get("steps") if isinstance(document, dict) else None
    named = [step.get("command") for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    return sorted({name for name in named if isinstance(name, str)})
