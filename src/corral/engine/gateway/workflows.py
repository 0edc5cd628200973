"""Workflows: versioned, immutable recipes. What a recipe may say is checked by corral.workflow before it comes here."""

from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Json, Workflow
from corral.workflow import HOLD_NAME


class Workflows:
    """The recipes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_workflow(
        self, name: str, recipe: Json, *, mode: str = "device", actor: str | None = None
    ) -> Workflow:
        """The next version of the name, or its newest one where the recipe is the same."""
        row = await self._database.fetch_only(
            "select * from corral.fn_create_workflow($1, $2, $3, $4)", name, mode, recipe, actor
        )
        return to_record(row, Workflow)

    async def get(self, workflow_id: UUID) -> Workflow:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.workflows where workflow_id = $1", workflow_id)
        if row is None:
            message = f"no workflow {workflow_id}"
            raise NotFoundError(message, path="workflow_id")
        return to_record(row, Workflow)

    async def find(self, name: str, *, version: int | None = None) -> Workflow:
        """One version of a name, the newest by default. Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.workflows where name = $1 and ($2::integer is null or version = $2)"
            " order by version desc limit 1",
            name,
            version,
        )
        if row is None:
            message = f"no workflow {name}" if version is None else f"no version {version} of workflow {name}"
            raise NotFoundError(message, path="workflow")
        return to_record(row, Workflow)

    async def list(self, *, after: str = "", limit: int = 100) -> list[Workflow]:
        """The newest version of each name, a page at a time: `after` is the last name seen. What sessions run is left out."""
        rows = await self._database.fetch(
            "select distinct on (name) * from corral.workflows where name > $1 and name <> $2"
            " order by name, version desc limit $3",
            after,
            HOLD_NAME,
            limit,
        )
        return to_records(rows, Workflow)
