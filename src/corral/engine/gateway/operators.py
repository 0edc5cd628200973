"""Named operators: people and programs with a role."""

from corral.engine.announce import CREDENTIALS, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.credentials import OPERATOR_PREFIX, Operator, Role, digest_token, mint_token
from corral.model.errors import NotFoundError


class Operators:
    """Who may call besides the operator of the server's settings."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def create_operator(self, name: str, role: Role, *, actor: str | None = None) -> tuple[str, Operator]:
        """A new operator and the token, which nobody can be told again. Raises ConflictError where the name is taken."""
        token = mint_token(OPERATOR_PREFIX)
        await self._database.fetch_value(
            "select corral.fn_create_operator($1, $2, $3, $4)", name, str(role), digest_token(token.encode()), actor
        )
        return token, await self.get(name)

    async def rotate_operator_token(self, name: str, *, actor: str | None = None) -> tuple[str, Operator]:
        """A new token in the place of the old one, which ends with its sessions. Raises NotFoundError."""
        token = mint_token(OPERATOR_PREFIX)
        await self._database.fetch_value(
            "select corral.fn_rotate_operator_token($1, $2, $3)", name, digest_token(token.encode()), actor
        )
        self._announcements.announce([CREDENTIALS])
        return token, await self.get(name)

    async def revoke_operator(self, name: str, *, actor: str | None = None) -> None:
        """Let the operator's token and sessions open nothing any more, on every server. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_revoke_operator($1, $2)", name, actor)
        self._announcements.announce([CREDENTIALS])

    async def get(self, name: str) -> Operator:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.operator_states where name = $1", name)
        if row is None:
            message = f"no operator {name}"
            raise NotFoundError(message, path="name")
        return to_record(row, Operator)

    async def list(self, *, after: str = "", limit: int = 100) -> list[Operator]:
        """Operators by name, revoked ones included, a page at a time: `after` is the last name seen."""
        rows = await self._database.fetch(
            "select * from corral.operator_states where name > $1 order by name limit $2", after, limit
        )
        return to_records(rows, Operator)
