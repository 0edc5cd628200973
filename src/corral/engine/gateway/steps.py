"""Steps of distributed jobs: adding, claiming, reporting. An ended step promotes its dependents."""

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec

from corral.engine.announce import STEPS, Announcements
from corral.engine.database import Database, Row, to_record, to_records
from corral.model.errors import BrokenRuleError, LeaseLostError, NotFoundError
from corral.model.records import (
    GraphStep,
    Json,
    News,
    NewStep,
    OfferedPhone,
    Step,
    StepEnding,
    StepExchange,
    StepGrant,
    StepOutcome,
    StepResult,
)
from corral.model.states import EventOutcome, FailureReason, StepStatus

T = TypeVar("T")

_OUTCOMES = {outcome.value: outcome for outcome in EventOutcome}
_KEY = ("job_id", "step", "lease_token", "status")
_STEPS = "select * from corral.step_states where job_id = $1"


class Steps:
    """The queue of distributed work."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def create_steps(self, job_id: UUID, steps: Sequence[NewStep]) -> int:
        """Add steps to a job, in one insert. Those that need nothing are ready at once, in the order given, and announced.

        Raises NotFoundError, InvalidRequestError (a need that does not exist, a circle) and ConflictError
        (a name that is taken, a job that has ended); `path` names the step.
        """
        made: int = await self._database.fetch_value(
            "select corral.fn_create_steps($1, $2)", job_id, msgspec.to_builtins(list(steps))
        )
        self._announcements.announce([STEPS] if made else [])
        return made

    async def claim_ready_steps(
        self,
        node_id: str,
        *,
        epoch: int,
        want: int,
        capabilities: Sequence[str] | None = None,
        channel_id: UUID | None = None,
        request_id: UUID | None = None,
    ) -> list[StepGrant]:
        """Lease up to `want` ready steps that the node is capable of, in order.

        Repeating a `request_id` returns what it already got. Without `capabilities`, those that the node
        registered with count. Raises StaleEpochError and UnknownNodeError.
        """
        rows = await self._database.fetch(
            "select * from corral.fn_claim_ready_steps($1, $2, $3, $4, $5, $6)",
            node_id,
            epoch,
            None if capabilities is None else list(capabilities),
            channel_id,
            want,
            request_id,
        )
        return _grants(rows)

    async def claim_with_phones(
        self, node_id: str, *, epoch: int, want: int, phones: Sequence[str], request_id: UUID | None = None
    ) -> list[StepGrant]:
        """As claim_ready_steps, for a node that also offers these phones of its own, by their serials."""
        rows = await self._database.fetch(
            "select * from corral.fn_claim_with_phones($1, $2, $3, $4, $5)",
            node_id,
            epoch,
            list(phones),
            want,
            request_id,
        )
        return _grants(rows)

    async def list_phones(self, node_id: str, serials: Sequence[str]) -> list[OfferedPhone]:
        """Those of these phones that are the node's and fit for work, with the capabilities that they give it."""
        rows = await self._database.fetch("select * from corral.fn_list_phones($1, $2)", node_id, list(serials))
        return to_records(rows, OfferedPhone)

    async def list_step_news(self, node_ids: Sequence[str]) -> list[News]:
        """Of these nodes, those whose waiting claim should look again."""
        rows = await self._database.fetch("select * from corral.fn_list_step_news($1)", list(node_ids))
        return to_records(rows, News)

    async def expand_step(self, node_id: str, grant: StepGrant, children: Sequence[NewStep]) -> bool:
        """Replace a step that the node holds by these repetitions of it; whether that was done."""
        done: bool = await self._database.fetch_value(
            "select corral.fn_expand_step($1, $2, $3, $4, $5)",
            node_id,
            grant.job_id,
            grant.name,
            grant.lease_token,
            msgspec.to_builtins(list(children)),
        )
        return done

    async def list_endings(self, job_ids: Sequence[UUID], names: Sequence[str]) -> list[StepEnding]:
        """How steps of these names ended, in these jobs; those that have not are left out."""
        rows = await self._database.fetch(
            "select job_id, name, status, output from corral.step_states"
            " where job_id = any ($1) and job_attempt = 1 and name = any ($2) and finished_at is not null",
            list(job_ids),
            list(names),
        )
        return to_records(rows, StepEnding)

    async def list_graph(self, job_id: UUID) -> list[GraphStep]:
        """The steps of a distributed job; of a local one, those that its worker told of in its last attempt."""
        rows = await self._database.fetch(
            "select * from corral.graph_steps where job_id = $1"
            " and job_attempt = (select max(job_attempt) from corral.graph_steps where job_id = $1) order by position, step",
            job_id,
        )
        return to_records(rows, GraphStep)

    async def claim_ready_step(
        self, node_id: str, *, epoch: int, capabilities: Sequence[str] | None = None
    ) -> StepGrant | None:
        """Lease the next ready step, if there is one."""
        grants = await self.claim_ready_steps(node_id, epoch=epoch, want=1, capabilities=capabilities)
        return grants[0] if grants else None

    async def complete_steps(self, node_id: str, results: Sequence[StepResult]) -> list[StepOutcome]:
        """Report on steps that the node holds, in one transaction. Answers each, in the order given."""
        outcomes: list[str] = await self._database.fetch_value(
            "select corral.fn_complete_steps($1, $2, $3, $4, $5, $6)", node_id, *_columns(results)
        )
        return _outcomes(results, outcomes)

    async def exchange_steps(
        self,
        node_id: str,
        results: Sequence[StepResult],
        *,
        epoch: int,
        want: int,
        capabilities: Sequence[str] | None = None,
        channel_id: UUID | None = None,
        request_id: UUID | None = None,
    ) -> StepExchange:
        """Report on steps and claim the next ones in one transaction: complete_steps, then claim_ready_steps.

        What the report frees and readies can be claimed by the same call, and repeating it is as safe as repeating
        both. Raises StaleEpochError and UnknownNodeError; then nothing was reported, and what was done is still to be
        told with complete_steps, which asks for the tokens alone.
        """
        told, *rows = await self._database.fetch(
            "select * from corral.fn_exchange_steps($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            node_id,
            epoch,
            *_columns(results),
            None if capabilities is None else list(capabilities),
            channel_id,
            want,
            request_id,
        )
        return StepExchange(_outcomes(results, told["outcomes"]), _grants(rows, start=1))

    async def mark_running(self, node_id: str, grant: StepGrant) -> None:
        """Say that the step starts. Raises LeaseLostError."""
        await self._report(node_id, grant, StepStatus.RUNNING)

    async def mark_completed(self, node_id: str, grant: StepGrant, *, output: Any = None) -> None:  # noqa: ANN401 - any JSON
        """Say that the step succeeded. Raises LeaseLostError."""
        await self._report(node_id, grant, StepStatus.SUCCEEDED, output=output)

    async def mark_failed(
        self,
        node_id: str,
        grant: StepGrant,
        *,
        error: str,
        reason: FailureReason = FailureReason.ACTION_FAILED,
        retryable: bool = True,
    ) -> None:
        """Say that the step failed; it is retried as long as attempts remain. Raises LeaseLostError."""
        await self._report(
            node_id, grant, StepStatus.FAILED, error_message=error, failure_reason=reason, retryable=retryable
        )

    async def mark_skipped(self, node_id: str, grant: StepGrant, *, cause: str = "when") -> None:
        """Say that the step chose not to run (when, draw): its dependents run. Raises LeaseLostError."""
        await self._report(node_id, grant, StepStatus.SKIPPED, skip_cause=cause)

    async def release_step(self, node_id: str, grant: StepGrant) -> None:
        """Give the step up unfinished: it goes back to its queue. Raises LeaseLostError."""
        await self._report(node_id, grant, StepStatus.CANCELLED)

    async def promote_ready_steps(self, job_id: UUID) -> list[str]:
        """Ready what waits for nothing: a repair, since ended steps promote at once. Returns the names."""
        names: list[str] = await self._database.fetch_value("select corral.fn_promote_ready_steps($1)", job_id)
        return names

    async def get(self, job_id: UUID, name: str) -> Step:
        """A step; of those of a local job, the last attempt's. Raises NotFoundError."""
        row = await self._database.fetch_one(f"{_STEPS} and name = $2 order by job_attempt desc limit 1", job_id, name)
        if row is None:
            message = f"no step {name} in job {job_id}"
            raise NotFoundError(message, path="step")
        return to_record(row, Step)

    async def get_steps_for_job(self, job_id: UUID) -> list[Step]:
        """All steps of a job, in its order."""
        return to_records(await self._database.fetch(f"{_STEPS} order by job_attempt, position, name", job_id), Step)

    async def get_ready_steps(self, job_id: UUID) -> list[Step]:
        """The steps of a job that wait to be claimed, in claim order."""
        rows = await self._database.fetch(f"{_STEPS} and status = 'ready' order by priority desc, ready_seq", job_id)
        return to_records(rows, Step)

    async def all_steps_terminal(self, job_id: UUID) -> bool:
        """Whether every step of the job has ended."""
        ended: bool = await self._database.fetch_value("select corral.fn_all_steps_terminal($1)", job_id)
        return ended

    async def any_step_failed(self, job_id: UUID) -> bool:
        """Whether a step of the job failed, harmlessly or not."""
        failed: bool = await self._database.fetch_value("select corral.fn_any_step_failed($1)", job_id)
        return failed

    async def _report(self, node_id: str, grant: StepGrant, status: StepStatus, **fields: Any) -> None:  # noqa: ANN401
        result = StepResult(
            job_id=grant.job_id, step=grant.name, lease_token=grant.lease_token, status=status, **fields
        )
        (outcome,) = await self.complete_steps(node_id, [result])
        if outcome.outcome is EventOutcome.STALE:
            message = f"step {grant.name} of job {grant.job_id} is no longer {node_id}'s"
            raise LeaseLostError(message, path="lease_token")


def _grants(rows: Sequence[Row], *, start: int = 0) -> list[StepGrant]:
    """Rows, from column `start` on, as what was granted: by position, which takes a quarter of the time of names."""
    if rows and tuple(rows[0].keys())[start:] != StepGrant.__struct_fields__:
        raise BrokenRuleError("the columns of a grant are not its fields", path="fn_grant_steps")
    return [StepGrant(*row[start:]) for row in rows]


def _columns(
    results: Sequence[StepResult],
) -> tuple[list[UUID], list[str], list[UUID], list[str], list[Json | None] | None]:
    """Results as parallel arrays: one job or status where all have the same, the details only where there are any."""
    details = [_details(result) for result in results]
    return (
        _one_for_all([result.job_id for result in results]),
        [result.step for result in results],
        [result.lease_token for result in results],
        _one_for_all([result.status.value for result in results]),
        details if any(details) else None,
    )


def _one_for_all(values: list[T]) -> list[T]:
    return values[:1] if values and values.count(values[0]) == len(values) else values


def _details(result: StepResult) -> Json | None:
    """What a result says beyond its status, if it says anything."""
    if (
        result.output is None
        and result.error_message is None
        and result.failure_reason is None
        and result.skip_cause is None
        and result.retryable
    ):
        return None
    told: Json = msgspec.to_builtins(result)
    return {name: value for name, value in told.items() if name not in _KEY}


def _outcomes(results: Sequence[StepResult], outcomes: Sequence[str]) -> list[StepOutcome]:
    return [
        StepOutcome(result.job_id, result.step, _OUTCOMES[outcome])
        for result, outcome in zip(results, outcomes, strict=True)
    ]
