"""Whatever a node says, it is answered, and the books stay in order."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.engine import Engine
from corral.model.records import Grant
from tests.engine.farm import Farm

OUTCOMES = {"applied", "duplicate", "stale", "invalid"}
TYPES = (
    "job_started",
    "step_started",
    "step_finished",
    "log",
    "artifact_created",
    "job_finished",
    "test_results",
    "scan_progress",
    "scan_finished",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    (
        *("step", "status", "outcome", "steps", "lines", "key", "kind", "at", "seq", "position", "probability", "draw"),
        *("output", "error_message", "failure_reason", "attempt", "total", "within", "scan_id", "sha256", "size_bytes"),
        "results",
    )
)
WORDS = st.sampled_from(
    ["a", "running", "succeeded", "failed", "interrupted", "cancelled", "skipped", "screenshot", "k"]
)


RESULTS = st.lists(
    st.fixed_dictionaries(
        {
            "class_name": st.just("a.B") | JSON,
            "name": st.sampled_from(["c", "d"]) | JSON,
            "status": st.sampled_from(["passed", "failed", "errored", "skipped"]) | JSON,
            "try": st.integers(0, 3) | JSON,
            "duration_s": st.floats(0, 10) | JSON,
        },
        optional={"message": st.text(max_size=10) | JSON, "trace": st.text(max_size=10) | JSON},
    )
    | JSON,
    max_size=3,
)


class Reporter:
    """A node with one running job, and a loop to ask in."""

    def __init__(self, dsn: str) -> None:
        self.loop = asyncio.new_event_loop()
        self._opened = Engine.connect(dsn, max_connections=2)
        self.engine = self.loop.run_until_complete(self._opened.__aenter__())
        self.grant: Grant = self.loop.run_until_complete(self._begin())

    async def _begin(self) -> Grant:
        farm = Farm(self.engine)
        await farm.let_verdicts_open()
        self.node = await farm.given_node(devices=1)
        await farm.given_run()
        (grant,) = await self.node.pull()
        return grant

    def send(self, events: list[Any]) -> list[str]:
        told = self.loop.run_until_complete(self.engine.events.apply_node_events("node-1", events))
        return [result.outcome for result in told]

    def check(self) -> None:
        assert self.loop.run_until_complete(self.engine.upkeep.check_invariants()) == []

    def close(self) -> None:
        self.loop.run_until_complete(self._opened.__aexit__(None, None, None))
        self.loop.close()


@pytest.fixture
def reporter(farm_dsn: str) -> Iterator[Reporter]:
    reporter = Reporter(farm_dsn)
    yield reporter
    reporter.close()


def events_of(grant: Grant) -> st.SearchStrategy[Any]:
    """Anything at all, and what is nearly an event of that job."""
    near = st.fixed_dictionaries(
        {"event_id": st.uuids().map(str) | JSON, "type": st.sampled_from(TYPES) | JSON},
        optional={
            "job_id": st.just(str(grant.job_id)) | st.uuids().map(str) | JSON,
            "lease_token": st.just(str(grant.lease_token)) | st.uuids().map(str) | JSON,
            "seq": st.integers(-1, 50) | JSON,
        },
    )
    fields = st.dictionaries(NAMES, WORDS | JSON, max_size=5)
    told = st.fixed_dictionaries({"type": st.just("test_results"), "step": WORDS | JSON, "results": RESULTS})
    return st.one_of(
        st.dictionaries(st.text(max_size=8), JSON, max_size=4),
        st.builds(lambda event, more: {**more, **event}, near, fields),
        st.builds(lambda event, results: {**event, **results}, near, told),
    )


@pytest.mark.timeout(600)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_event_is_answered_and_spoils_nothing(reporter: Reporter, data: st.DataObject) -> None:
    events = data.draw(st.lists(events_of(reporter.grant), min_size=1, max_size=5))
    good = {
        "event_id": str(uuid4()),
        "job_id": str(uuid4()),
        "lease_token": str(uuid4()),
        "seq": 1,
        "type": "job_started",
    }

    outcomes = reporter.send([*events, good])

    assert len(outcomes) == len(events) + 1
    assert set(outcomes) <= OUTCOMES
    assert outcomes[-1] == "stale", "a good event of nobody's job"
    reporter.check()
