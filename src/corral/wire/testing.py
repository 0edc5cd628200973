"""Tests on the wire: nodes offer and claim them, operators read what became of them. Results are events of the callback."""

from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta, Struct, field

from corral.model.states import CaseStatus, Chunking
from corral.model.testing import Case, CaseCounts, CaseDevice
from corral.wire.nodes import LONGEST_WAIT_S, NodeId

MOST_TESTS: Final = 10_000
MOST_RESULTS: Final = 100
"""In one event `test_results`."""
LONGEST_NAME: Final = 500
LONGEST_MESSAGE: Final = 2_000
LONGEST_TRACE: Final = 20_000

StepName = Annotated[str, Meta(min_length=1, max_length=200)]
ClassName = Annotated[str, Meta(max_length=LONGEST_NAME)]
CaseName = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Retries = Annotated[int, Meta(ge=0, le=10)]


class OfferedCase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A test of a suite."""

    class_name: ClassName
    name: CaseName


class OfferTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The tests of a step, for all phones of its run to share. The first list counts.

    A step that begins anew offers again: what its lease had claimed before is then let go.
    """

    node_id: NodeId
    job_id: UUID
    lease_token: UUID
    step: StepName
    tests: Annotated[list[OfferedCase], Meta(max_length=MOST_TESTS)]
    chunk: Chunking = Chunking.COUNT
    test_retries: Retries = 0
    infra_retries: Retries = 2


class ClaimTests(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A phone's request for the next tests of its step, which waits for them. Repeating a `request_id` returns what it got."""

    node_id: NodeId
    job_id: UUID
    lease_token: UUID
    step: StepName
    request_id: UUID
    wait_s: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = 0.0


class ToldResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One result in an event `test_results`: how one try of a test ended on this phone."""

    class_name: ClassName
    name: CaseName
    status: CaseStatus
    duration_s: Annotated[float, Meta(ge=0, le=1_000_000)]
    message: str | None = None
    trace: str | None = None
    try_: Annotated[int, Meta(ge=1, le=1000)] = field(name="try")


class CasePage(Struct, frozen=True, kw_only=True):
    """Test cases of a run by step, class and name; `next` is the `after` of the following page, null on the last.

    `summary` is of all its cases, whatever was asked for; null where it has none.
    """

    summary: CaseCounts | None
    devices: list[CaseDevice]
    cases: list[Case]
    next: str | None
