"""Input files: names and contents. The bytes are the store's."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError, Problem, RecipeInvalidError
from corral.model.records import InputFile
from corral.workflow import Recipe, installed_actions, list_input_files


class Files:
    """What app.install and file.push are given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve_file(self, sha256: str, *, size_bytes: int, content_type: str) -> UUID:
        """Claim contents before they are stored; the answer is what `save_file` wants. Raises ConflictError."""
        file_id: UUID = await self._database.fetch_value(
            "select corral.fn_reserve_file($1, $2, $3)", sha256, size_bytes, content_type
        )
        return file_id

    async def save_file(self, name: str, sha256: str, *, file_id: UUID, actor: str | None = None) -> InputFile:
        """Let the name mean these contents, which are stored. Raises ConflictError if they were deleted meanwhile."""
        await self._database.fetch("select corral.fn_save_file($1, $2, $3, $4)", name, sha256, file_id, actor)
        row = await self._database.fetch_one(
            "select * from corral.file_states where name = $1 and sha256 = $2", name, sha256
        )
        if row is None:
            raise NotFoundError(f"input file {name} was deleted at once", path="name")
        return to_record(row, InputFile)

    async def delete_file(self, sha256: str, *, actor: str | None = None) -> None:
        """Take contents out of use; then delete the object, then `forget_file`. Raises NotFoundError."""
        await self._database.fetch("select corral.fn_delete_file($1, $2)", sha256, actor)

    async def condemn_files(self, *, limit: int = 500) -> list[str]:
        """The contents whose deletion was not finished, or whose upload was not: delete their objects."""
        rows = await self._database.fetch("select sha256 from corral.fn_condemn_files($1) as t (sha256)", limit)
        return [row["sha256"] for row in rows]

    async def forget_file(self, sha256: str) -> None:
        """Forget contents whose object was deleted."""
        await self._database.fetch("select corral.fn_forget_file($1)", sha256)

    async def find(self, ref: str) -> InputFile:
        """By sha256, or the newest of that name. Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.file_states where sha256 = $1 or name = $1"
            " order by (sha256 = $1) desc, file_no desc limit 1",
            ref,
        )
        if row is None:
            raise NotFoundError(f"no input file {ref}", path="ref")
        return to_record(row, InputFile)

    async def list_missing(self, refs: Sequence[str]) -> list[str]:
        """Which of these are neither the name nor the sha256 of an input file."""
        rows = await self._database.fetch(
            "select r.ref from unnest($1::text[]) as r (ref) where not exists"
            " (select 1 from corral.file_states f where f.name = r.ref or f.sha256 = r.ref)",
            list(refs),
        )
        return [row["ref"] for row in rows]

    async def list(self, *, name: str | None = None, after: int | None = None, limit: int = 100) -> list[InputFile]:
        """Input files, newest first, those of one name or all: `after` is the file_no of the last one seen."""
        rows = await self._database.fetch(
            "select * from corral.file_states where ($1::text is null or name = $1)"
            " and ($2::bigint is null or file_no < $2) order by file_no desc limit $3",
            name,
            after,
            limit,
        )
        return to_records(rows, InputFile)

    async def check_input_files(self, recipe: Recipe) -> None:
        """Raise RecipeInvalidError (code files_missing) with the path of each file that a step names and nobody uploaded."""
        named = list_input_files(recipe, installed_actions())
        if not named:
            return
        missing = set(await self.list_missing(sorted({ref for _, ref in named})))
        problems = [Problem(path, f"there is no input file '{ref:.80}'") for path, ref in named if ref in missing]
        if problems:
            raise RecipeInvalidError(problems, code="files_missing")
