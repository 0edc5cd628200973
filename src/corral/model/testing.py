"""Tests as plain data: cases and what phones told of them, the chunks that phones get, the parts of a report."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from msgspec import Struct, field

from corral.model.states import CaseStatus

Verdict = Literal["passed", "failed", "errored", "skipped", "pending", "running"]


class Offer(Struct, frozen=True):
    """How many tests the phones of a run share in a step, and whether this lease was the one to say which."""

    total: int
    is_first: bool


class ClaimedCase(Struct, frozen=True):
    """A test to execute, and which try of it this is."""

    class_name: str
    name: str
    try_: int = field(name="try")


class Chunk(Struct, frozen=True):
    """The tests that a phone is to execute next, in order; `is_done`: nothing is left for it. Neither: it asks again."""

    tests: list[ClaimedCase]
    is_done: bool


class CaseCounts(Struct, frozen=True):
    """How many test cases of a run have which verdict; flaky ones are among those that passed."""

    total: int
    passed: int
    failed: int
    errored: int
    skipped: int
    flaky: int
    pending: int
    running: int


class CaseDevice(Struct, frozen=True):
    """A device of a run that has tests."""

    index: int
    device_id: UUID
    serial: str
    job_id: UUID


class CaseResult(Struct, frozen=True, kw_only=True):
    """What a phone told of one try of a test case. One that does not count came when another had been given the test."""

    index: int | None
    device_id: UUID | None
    serial: str | None
    node_id: str
    job_id: UUID
    attempt: int
    try_: int = field(name="try")
    status: CaseStatus
    duration_s: float
    message: str | None
    trace: str | None
    is_counted: bool
    at: datetime


class Case(Struct, frozen=True, kw_only=True):
    """A test case of a run: its verdict, whether phones differ on it, and all results, the latest last."""

    step: str
    class_name: str
    name: str
    verdict: Verdict
    is_flaky: bool
    differs: bool
    message: str | None
    """Why a test that phones share has no result."""
    results: list[CaseResult]


class Suite(Struct, frozen=True, kw_only=True):
    """A part of a report: the cases of one step on one device, or those that no phone gave a verdict on."""

    step: str
    device_id: UUID | None
    is_unjudged: bool
    index: int | None
    serial: str | None
    node_id: str | None
    model: str | None
    os_version: str | None
    started_at: datetime


class EarlierTry(Struct, frozen=True, kw_only=True):
    """A try that was not the last."""

    index: int | None
    serial: str | None
    attempt: int
    try_: int = field(name="try")
    status: CaseStatus
    duration_s: float
    message: str | None
    trace: str | None


class SuiteCase(Struct, frozen=True, kw_only=True):
    """A test case of a report, with the tries that came before."""

    class_name: str
    name: str
    status: CaseStatus
    duration_s: float
    message: str | None
    trace: str | None
    is_flaky: bool
    earlier: list[EarlierTry] | None
