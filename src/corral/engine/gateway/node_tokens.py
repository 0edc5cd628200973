"""Nodes' own tokens: they prove which node calls, and can be taken away one by one."""

from uuid import UUID

from corral.engine.announce import CREDENTIALS, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.credentials import NODE_PREFIX, NodeToken, digest_token, mint_token


class NodeTokens:
    """Tokens that bind a node's name."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def enroll_node(self, node_id: str, *, actor: str | None = None) -> tuple[str, NodeToken]:
        """A new token for the node, registered or not, which nobody can be told again. The others stay good."""
        token = mint_token(NODE_PREFIX)
        token_id: UUID = await self._database.fetch_value(
            "select corral.fn_enroll_node($1, $2, $3)", node_id, digest_token(token.encode()), actor
        )
        row = await self._database.fetch_only("select * from corral.node_token_states where token_id = $1", token_id)
        return token, to_record(row, NodeToken)

    async def revoke_node_token(self, node_id: str, token_id: UUID, *, actor: str | None = None) -> None:
        """Let the token open nothing any more, on every server. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_revoke_node_token($1, $2, $3)", node_id, token_id, actor)
        self._announcements.announce([CREDENTIALS, node_id])  # the node's waiting pull must not outlive its right

    async def list(self, node_id: str) -> list[NodeToken]:
        """The tokens of a node, revoked ones included, oldest first."""
        rows = await self._database.fetch(
            "select * from corral.node_token_states where node_id = $1 order by created_at, token_id", node_id
        )
        return to_records(rows, NodeToken)
