"""Tasks: steps of chains that agents claim from a channel."""

from collections.abc import Sequence
from uuid import UUID

from corral.engine.announce import COORDINATOR, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.model.coordinator import Task, TaskStatus
from corral.model.errors import NotFoundError
from corral.model.states import StepStatus


class Tasks:
    """What agents do."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def append_task(
        self,
        title: str,
        *,
        channel_id: UUID | None = None,
        chain_id: UUID | None = None,
        sequence: int | None = None,
        description: str | None = None,
        priority: int | None = None,
        is_locked: bool = False,
        actor: str | None = None,
    ) -> Task:
        """Add a task to a chain, at its end or where `sequence` says, or to one of its own.

        Raises NotFoundError and ConflictError.
        """
        task_id: UUID = await self._database.fetch_value(
            "select corral.fn_append_task($1, $2, $3, $4, $5, $6, $7, $8)",
            channel_id,
            chain_id,
            sequence,
            title,
            description,
            priority,
            is_locked,
            actor,
        )
        return await self._changed(task_id)

    async def update_task(
        self,
        task_id: UUID,
        *,
        title: str | None = None,
        description: str | None = None,
        priority: int | None = None,
        status: TaskStatus | None = None,
        actor: str | None = None,
    ) -> Task:
        """What a person changes; what is None stays. Raises NotFoundError, and ConflictError where it does not wait."""
        await self._database.fetch_value(
            "select corral.fn_update_task($1, $2, $3, $4, $5, $6)",
            task_id,
            title,
            description,
            priority,
            status,
            actor,
        )
        return await self._changed(task_id)

    async def claim_task(self, agent_id: str, *, channel_id: UUID, idempotency_key: str | None = None) -> Task | None:
        """The next task of the channel, if any. The same key again: the same task, whatever became of it.

        Raises NotFoundError for an unknown channel.
        """
        task_id: UUID | None = await self._database.fetch_value(
            "select corral.fn_claim_task($1, $2, $3)", agent_id, channel_id, idempotency_key
        )
        return None if task_id is None else await self._changed(task_id)

    async def assign_task(self, agent_id: str, task_id: UUID, *, idempotency_key: str | None = None) -> Task:
        """Give an agent a waiting task by hand. Raises NotFoundError and ConflictError."""
        await self._database.fetch_value("select corral.fn_assign_task($1, $2, $3)", agent_id, task_id, idempotency_key)
        return await self._changed(task_id)

    async def complete_task(self, agent_id: str, task_id: UUID) -> Task:
        """Only a task in progress moves, by the agent that has it. Raises NotFoundError and ConflictError."""
        return await self._end(agent_id, task_id, StepStatus.SUCCEEDED)

    async def fail_task(self, agent_id: str, task_id: UUID, *, reason: str | None = None) -> Task:
        """Only a task in progress moves, by the agent that has it. Raises NotFoundError and ConflictError."""
        return await self._end(agent_id, task_id, StepStatus.FAILED, reason=reason)

    async def get(self, task_id: UUID) -> Task:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.task_states where id = $1", task_id)
        if row is None:
            raise NotFoundError(f"no task {task_id}", path="task_id")
        return to_record(row, Task)

    async def find_current_task(self, agent_id: str) -> Task | None:
        """The task that the agent was given last and has not ended, if any."""
        row = await self._database.fetch_one(
            "select * from corral.task_states where id = corral.fn_find_current_task($1)", agent_id
        )
        return None if row is None else to_record(row, Task)

    async def list(
        self,
        *,
        channel_id: UUID | None = None,
        chain_id: UUID | None = None,
        status: TaskStatus | None = None,
        limit: int = 1000,
    ) -> list[Task]:
        """Those that have not ended come first, oldest first, then the others, newest first; of a chain, in its order."""
        rows = await self._database.fetch(
            "select v.* from corral.fn_list_tasks($1, $2, $3, $4) with ordinality as l (id, place)"
            "  join corral.task_states v on v.id = l.id order by l.place",
            channel_id,
            chain_id,
            status,
            limit,
        )
        return to_records(rows, Task)

    async def find(self, task_ids: Sequence[str]) -> Sequence[Task]:
        """Those of these that there are."""
        rows = await self._database.fetch(
            "select * from corral.task_states where id = any ($1::text[]::uuid[]) order by id", list(task_ids)
        )
        return to_records(rows, Task)

    async def _end(self, agent_id: str, task_id: UUID, status: StepStatus, *, reason: str | None = None) -> Task:
        await self._database.fetch_value("select corral.fn_end_task($1, $2, $3, $4)", agent_id, task_id, status, reason)
        return await self._changed(task_id)

    async def _changed(self, task_id: UUID) -> Task:
        self._announcements.announce([COORDINATOR])
        return await self.get(task_id)
