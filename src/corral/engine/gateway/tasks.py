"""Tasks and chains: steps that agents claim from a channel, one after the other within a chain."""

from typing import Any
from uuid import UUID

from corral.engine.database import Database, to_record, to_records
from corral.model.errors import NotFoundError
from corral.model.records import Chain, Step
from corral.model.states import StepStatus


class Tasks:
    """What agents do."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_chain(
        self,
        channel_id: UUID,
        *,
        name: str | None = None,
        description: str | None = None,
        actor: str | None = None,
    ) -> Chain:
        """An open chain. Raises NotFoundError."""
        chain_id: UUID = await self._database.fetch_value(
            "select corral.fn_create_chain($1, $2, $3, $4)", channel_id, name, description, actor
        )
        return await self.get_chain(chain_id)

    async def close_chain(self, chain_id: UUID) -> Chain:
        """No more tasks: the chain ends with its last one. Raises NotFoundError."""
        await self._database.fetch_value("select corral.fn_close_job($1)", chain_id)
        return await self.get_chain(chain_id)

    async def get_chain(self, chain_id: UUID) -> Chain:
        """Raises NotFoundError."""
        row = await self._database.fetch_one("select * from corral.chain_states where chain_id = $1", chain_id)
        if row is None:
            message = f"no chain {chain_id}"
            raise NotFoundError(message, path="chain_id")
        return to_record(row, Chain)

    async def list_chains(self, channel_id: UUID, *, limit: int = 100) -> list[Chain]:
        """Chains of a channel, oldest first."""
        rows = await self._database.fetch(
            "select * from corral.chain_states where channel_id = $1 order by created_at, chain_id limit $2",
            channel_id,
            limit,
        )
        return to_records(rows, Chain)

    async def append_task(
        self,
        title: str,
        *,
        channel_id: UUID | None = None,
        chain_id: UUID | None = None,
        sequence: int | None = None,
        description: str | None = None,
        priority: int | None = None,
        timeout_s: float | None = None,
        actor: str | None = None,
    ) -> Step:
        """Add a task to the end of a chain, or in one of its own. Raises NotFoundError and ConflictError."""
        row = await self._database.fetch_only(
            "select * from corral.fn_append_task($1, $2, $3, $4, $5, $6, $7, $8)",
            channel_id,
            chain_id,
            sequence,
            title,
            description,
            priority,
            timeout_s,
            actor,
        )
        return await self.get(row["job_id"], row["name"])

    async def claim_task(self, node_id: str, *, channel_id: UUID, idempotency_key: str | None = None) -> Step | None:
        """The next task of the channel, if any. The same key again: the same task, whatever became of it."""
        row = await self._database.fetch_one(
            "select * from corral.fn_claim_task($1, $2, $3)", node_id, channel_id, idempotency_key
        )
        return None if row is None else await self.get(row["job_id"], row["name"])

    async def assign_task(self, node_id: str, task: Step, *, idempotency_key: str | None = None) -> Step:
        """Give an agent a queued task by hand. Raises NotFoundError, UnknownNodeError and ConflictError."""
        await self._database.fetch_value(
            "select corral.fn_assign_task($1, $2, $3, $4)", node_id, task.job_id, task.name, idempotency_key
        )
        return await self.get(task.job_id, task.name)

    async def complete_task(self, node_id: str, task: Step, *, output: Any = None) -> Step:  # noqa: ANN401 - any JSON
        """Only a task in progress moves, by the agent that has it. Raises NotFoundError and ConflictError."""
        return await self._end(node_id, task, StepStatus.SUCCEEDED, output=output)

    async def fail_task(self, node_id: str, task: Step, *, reason: str | None = None) -> Step:
        """Only a task in progress moves, by the agent that has it. Raises NotFoundError and ConflictError."""
        return await self._end(node_id, task, StepStatus.FAILED, reason=reason)

    async def get(self, chain_id: UUID, name: str) -> Step:
        """Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.step_states where job_id = $1 and job_attempt = 1 and name = $2",
            chain_id,
            name,
        )
        if row is None:
            message = f"no task {name} in chain {chain_id}"
            raise NotFoundError(message, path="task_id")
        return to_record(row, Step)

    async def _end(
        self,
        node_id: str,
        task: Step,
        status: StepStatus,
        *,
        output: Any = None,  # noqa: ANN401 - any JSON
        reason: str | None = None,
    ) -> Step:
        await self._database.fetch_value(
            "select corral.fn_end_task($1, $2, $3, $4, $5, $6)",
            node_id,
            task.job_id,
            task.name,
            status,
            output,
            reason,
        )
        return await self.get(task.job_id, task.name)
