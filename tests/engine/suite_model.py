"""What a shared suite should do, in plain Python: no SQL, no locks, one thing after the other."""

import math
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

NO_LOSS: Final = {"interrupted", "lost_grant", "released"}
SPARES: Final = 2
LONGEST_S: Final = 60.0
EXPECTED_S: Final = 2.0


@dataclass
class ModelJob:
    """A phone's part in the run: the tokens that it was given, and how those that ended did."""

    job_id: UUID
    token: UUID | None = None
    attempt: int = 0
    endings: dict[UUID, str | None] = field(default_factory=dict)
    ended: str | None = None

    def is_live(self, token: UUID) -> bool:
        return token in self.endings and self.endings[token] is None


@dataclass
class ModelUnit:
    """One test."""

    name: str
    position: int
    failures: int = 0
    losses: int = 0
    in_flight: bool = False
    claimed_by: UUID | None = None
    claimed_as: UUID | None = None
    claimed_try: int | None = None
    failed_on: UUID | None = None
    verdict: str | None = None
    judged_by: UUID | None = None
    is_flaky: bool = False
    told: set[tuple[UUID, int, int]] = field(default_factory=set)


class ModelSuite:
    """A suite and the phones that share it. `moments` counts the leaps of the clock: each is longer than any patience."""

    def __init__(self, names: list[str], *, test_retries: int, infra_retries: int) -> None:
        self.units = [ModelUnit(name, position) for position, name in enumerate(names)]
        self.test_retries = test_retries
        self.infra_retries = infra_retries
        self.jobs: dict[UUID, ModelJob] = {}
        self.parts: dict[UUID, tuple[UUID, str, int]] = {}
        self.moments = 0

    def ending_of(self, token: UUID) -> str | None:
        (job,) = [job for job in self.jobs.values() if token in job.endings]
        return job.endings[token]

    def release(self, token: UUID | None = None) -> None:
        for unit in self.units:
            if unit.in_flight and unit.claimed_by is not None:
                ending = self.ending_of(unit.claimed_by)
                if ending is not None or unit.claimed_by == token:
                    unit.in_flight = False
                    unit.losses += ending not in NO_LOSS
                    if unit.losses > self.infra_retries:
                        unit.verdict = "errored"

    def claim(self, job: ModelJob, token: UUID, request_id: UUID) -> tuple[list[tuple[str, int]], bool]:
        """What the phone is given, and whether it is done."""
        part = "working"
        chunk = self._claimed(token, request_id)
        if not chunk:
            self.release()
            for unit in self._choose(job):
                unit.in_flight = True
                unit.claimed_by, unit.claimed_as, unit.claimed_try = token, request_id, unit.failures + 1
            chunk = self._claimed(token, request_id)
            if not chunk:
                is_open = any(unit.verdict is None for unit in self.units)
                part = "spare" if is_open and self._others(job, "spare") < SPARES else "done"
        self.parts[job.job_id] = (token, part, self.moments)
        return chunk, part == "done"

    def tell(self, job: ModelJob, token: UUID, unit: ModelUnit, try_: int, status: str) -> str:
        """What becomes of the event."""
        if job.token != token or job.ended is not None:
            return "stale"
        key = (job.job_id, list(job.endings).index(token), try_)
        is_counted = (
            key not in unit.told
            and unit.verdict is None
            and (unit.claimed_by, unit.claimed_try, unit.failures) == (token, try_, try_ - 1)
        )
        unit.told.add(key)
        if is_counted:
            has_failed = status in {"failed", "errored"}
            unit.in_flight = False
            unit.is_flaky = status == "passed" and unit.failures > 0
            unit.failures += has_failed
            if has_failed:
                unit.failed_on = job.job_id
            if not has_failed or unit.failures > self.test_retries:
                unit.verdict, unit.judged_by = status, job.job_id
        return "applied"

    def close(self) -> None:
        """The run has ended."""
        for unit in self.units:
            if unit.verdict is None:
                if unit.in_flight and unit.claimed_by is not None:
                    unit.losses += self.ending_of(unit.claimed_by) not in NO_LOSS
                unit.in_flight, unit.verdict = False, "errored"

    def status_of_run(self) -> str:
        ends = {job.ended for job in self.jobs.values()}
        if ends == {"failed"}:
            return "failed"
        nobody_judged = any(unit.judged_by is None for unit in self.units)
        return "completed_with_errors" if "failed" in ends or nobody_judged else "succeeded"

    def _claimed(self, token: UUID, request_id: UUID) -> list[tuple[str, int]]:
        mine = [unit for unit in self.units if (unit.claimed_by, unit.claimed_as) == (token, request_id)]
        return [(unit.name, unit.claimed_try or 0) for unit in mine]

    def _choose(self, job: ModelJob) -> list[ModelUnit]:
        waiting = [unit for unit in self.units if unit.verdict is None and not unit.in_flight]
        waiting.sort(key=lambda unit: (unit.losses, unit.position))
        phones = sum(each.token is not None and each.is_live(each.token) for each in self.jobs.values())
        most = min(100, math.ceil(len(waiting) / (2 * phones)), int(LONGEST_S // EXPECTED_S))
        if self._others(job, "working", "spare"):
            waiting = [unit for unit in waiting if unit.failed_on != job.job_id]
        return [unit for place, unit in enumerate(waiting[:most]) if place == 0 or unit.losses == 0]

    def _others(self, job: ModelJob, *parts: str) -> int:
        """Other phones that will ask again."""
        count = 0
        for job_id, (token, part, moment) in self.parts.items():
            at_work = part == "working" and any(unit.in_flight and unit.claimed_by == token for unit in self.units)
            if job_id != job.job_id and part in parts and self.jobs[job_id].is_live(token):
                count += moment == self.moments or at_work
        return count
