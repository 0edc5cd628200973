"""Credentials: what they prove, and as of when."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.database import Database, to_record
from corral.model.credentials import Found


class Credentials:
    """What is known of tokens and sessions, by their sha256. Each answer carries the version of what is known."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_node_token(self, digest: bytes) -> Found:
        """Which node a token proves, if any."""
        return to_record(await self._database.fetch_only("select * from corral.fn_find_node_token($1)", digest), Found)

    async def find_operator(self, digest: bytes) -> Found:
        """Which named operator a token proves, if any."""
        return to_record(await self._database.fetch_only("select * from corral.fn_find_operator($1)", digest), Found)

    async def find_session(self, digest: bytes) -> Found:
        """Whose session a cookie opens, if any. The caller must check its proof."""
        return to_record(await self._database.fetch_only("select * from corral.fn_find_session($1)", digest), Found)

    async def get_credential_version(self) -> int:
        """What was found under another version than this must be asked for again."""
        version: int = await self._database.fetch_value("select corral.fn_get_credential_version()")
        return version

    async def touch_credentials(self, token_ids: Sequence[UUID], names: Sequence[str]) -> None:
        """Note that these were used lately."""
        await self._database.fetch_value("select corral.fn_touch_credentials($1, $2)", list(token_ids), list(names))
