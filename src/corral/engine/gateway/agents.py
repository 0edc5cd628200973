"""Agents: whoever claims tasks at the coordinator door, and what they tell."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from corral.engine.announce import COORDINATOR, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.coordinator import Agent, AgentEvent
from corral.model.errors import NotFoundError
from corral.model.records import Json
from corral.model.states import AgentStatus


class Agents:
    """Who is there, and what they said."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def heartbeat_agent(
        self,
        agent_id: str,
        *,
        name: str | None = None,
        status: AgentStatus | None = None,
        current_task_id: str | None = None,
        meta: Json | None = None,
    ) -> Agent:
        """Make the agent known, or say that it lives: that renews the leases of its tasks."""
        await self._database.fetch_value(
            "select corral.fn_heartbeat_agent($1, $2, $3, $4, $5)", agent_id, name, status, current_task_id, meta
        )
        self._announcements.announce([COORDINATOR])
        return await self.get(agent_id)

    async def get(self, agent_id: str) -> Agent:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.agent_states where id = $1", agent_id)
        if row is None:
            raise NotFoundError(f"no agent {agent_id}", path="agent_id")
        return to_record(row, Agent)

    async def list(self, *, limit: int = 1000) -> list[Agent]:
        """Those heard last come first."""
        rows = await self._database.fetch(
            "select * from corral.agent_states order by last_seen desc nulls last, id limit $1", limit
        )
        return to_records(rows, Agent)

    async def find(self, agent_ids: Sequence[str]) -> Sequence[Agent]:
        """Those of these that there are."""
        rows = await self._database.fetch(
            "select * from corral.agent_states where id = any ($1) order by id", list(agent_ids)
        )
        return to_records(rows, Agent)

    async def record_agent_event(
        self,
        type_: str,
        *,
        agent_id: str | None = None,
        task_id: str | None = None,
        payload: Any = None,  # noqa: ANN401 - any JSON
        idempotency_key: str | None = None,
    ) -> AgentEvent | None:
        """Keep what an agent tells; None where the key was used before."""
        event_id: UUID | None = await self._database.fetch_value(
            "select corral.fn_record_agent_event($1, $2, $3, $4, $5)",
            agent_id,
            task_id,
            type_,
            payload,
            idempotency_key,
        )
        if event_id is None:
            return None
        self._announcements.announce([COORDINATOR])
        (event,) = await self.find_events([str(event_id)])
        return event

    async def list_events(
        self, *, agent_id: str | None = None, task_id: str | None = None, limit: int = 100
    ) -> Sequence[AgentEvent]:
        """The newest first."""
        rows = await self._database.fetch(
            "select * from corral.agent_event_states"
            " where ($1::text is null or agent_id = $1) and ($2::text is null or task_id = $2)"
            " order by id desc limit $3",
            agent_id,
            task_id,
            limit,
        )
        return to_records(rows, AgentEvent)

    async def find_events(self, event_ids: Sequence[str]) -> Sequence[AgentEvent]:
        """Those of these that there are, in the order in which they came."""
        rows = await self._database.fetch(
            "select * from corral.agent_event_states where id = any ($1::text[]::uuid[]) order by id", list(event_ids)
        )
        return to_records(rows, AgentEvent)
