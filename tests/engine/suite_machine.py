"""A hypothesis state machine: phones claim, report, die, return and report late; the engine does as the model says."""

from collections.abc import Coroutine
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.engine.farm import Farm, SimulatedNode
from tests.engine.machine import World
from tests.engine.suite_model import ModelJob, ModelSuite
from tests.engine.suites import Phone, cases, result

T = TypeVar("T")
NODES = ("node-1", "node-2", "node-3")
UNITS = """
select name, failures, losses, is_in_flight, verdict, verdict_job_id, is_flaky, finished_at is not null as is_over
  from corral.test_units order by position
"""
picks = st.integers(min_value=0, max_value=50)
statuses = st.sampled_from(["passed", "passed", "failed", "errored", "skipped"])


class SuiteMachine(RuleBasedStateMachine):
    """One run on a few phones of three nodes, and everything that may happen to its tests."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.engine = world.begin()
        self.farm = Farm(self.engine)
        self.wait(self.farm.let_verdicts_open())

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.world.wait(work)

    def teardown(self) -> None:
        try:
            if hasattr(self, "suite"):
                self.end_all()
        finally:
            self.wait(self.engine.announcements.flush())

    @initialize(
        devices=st.lists(st.integers(1, 2), min_size=3, max_size=3),
        tests=st.integers(1, 40),
        test_retries=st.integers(0, 2),
        infra_retries=st.integers(0, 2),
    )
    def build(self, devices: list[int], tests: int, test_retries: int, infra_retries: int) -> None:
        self.nodes: dict[str, SimulatedNode] = {}
        for node_id, count in zip(NODES, devices, strict=True):
            self.nodes[node_id] = self.wait(self.farm.given_node(node_id, devices=count))
        self.run = self.wait(self.farm.given_run(policy={"max_attempts": 100, "wait_timeout_s": 86_400}))
        self.suite = ModelSuite(
            [case["name"] for case in cases(tests)], test_retries=test_retries, infra_retries=infra_retries
        )
        for row in self.wait(self.engine.database.fetch("select job_id from corral.jobs")):
            self.suite.jobs[row["job_id"]] = ModelJob(row["job_id"])
        self.phones: dict[UUID, Phone] = {}
        self.asked: list[tuple[UUID, UUID]] = []
        self.claims: list[tuple[UUID, str, int]] = []
        for node_id in NODES:
            self.pull(node_id)

    # What phones do.

    @rule(node_id=st.sampled_from(NODES))
    def pull(self, node_id: str) -> None:
        """Whatever was given back is granted again, under new tokens; each phone then begins its step."""
        node = self.nodes[node_id]
        for grant in self.wait(node.pull()):
            self.wait(node.start(grant))
            job = self.suite.jobs[grant.job_id]
            job.token = grant.lease_token
            job.endings[grant.lease_token] = None
            self.phones[grant.lease_token] = Phone(node, grant)
            self.offer(grant.lease_token)

    @precondition(lambda self: self.live())
    @rule(pick=picks)
    def begin_again(self, pick: int) -> None:
        self.offer(self.pick_live(pick))

    @precondition(lambda self: self.live())
    @rule(pick=picks, is_repeated=st.booleans())
    def claim(self, pick: int, *, is_repeated: bool) -> None:
        token = self.pick_live(pick)
        mine = [request_id for by, request_id in self.asked if by == token]
        request_id = mine[pick % len(mine)] if is_repeated and mine else uuid4()
        self.asked.append((token, request_id))

        chunk = self.wait(self.phones[token].claim(request_id))

        expected = self.suite.claim(self.job_of(token), token, request_id)
        assert ([(each.name, each.try_) for each in chunk.tests], chunk.is_done) == expected
        self.claims += [(token, each.name, each.try_) for each in chunk.tests]

    @precondition(lambda self: self.live())
    @rule(pick=picks, told=st.lists(statuses, max_size=8))
    def work(self, pick: int, told: list[str]) -> None:
        """Claim, and tell of as many tests of the chunk as there are words; the rest stays in flight."""
        before = len(self.claims)
        self.claim(pick, is_repeated=False)
        for (token, name, try_), status in zip(self.claims[before:], told, strict=False):
            self.tell_one(token, name, try_, status)

    @precondition(lambda self: self.claims)
    @rule(picked=st.lists(picks, min_size=1, max_size=3), status=statuses)
    def tell(self, picked: list[int], status: str) -> None:
        """Results of whatever was ever claimed: in time, late, twice, or after somebody else's."""
        for pick in picked:
            self.tell_one(*self.claims[-1 - pick % len(self.claims)], status)

    # What becomes of them.

    @precondition(lambda self: self.live())
    @rule(pick=picks, outcome=st.sampled_from(["interrupted", "interrupted", "failed", "succeeded"]))
    def finish(self, pick: int, outcome: str) -> None:
        token = self.pick_live(pick)
        phone, job = self.phones[token], self.job_of(token)

        (told,) = self.wait(phone.node.finish(phone.grant, outcome=outcome, failure_reason="device_offline"))

        assert told.outcome == "applied"
        job.endings[token] = "interrupted" if outcome == "interrupted" else "finished"
        if outcome != "interrupted":
            job.ended = outcome
        if all(each.ended is not None for each in self.suite.jobs.values()):
            self.suite.close()

    @rule(node_id=st.sampled_from(NODES))
    def reboot(self, node_id: str) -> None:
        self.nodes[node_id] = self.wait(self.nodes[node_id].reboot())
        self.lose(node_id, "rebooted")

    @rule(node_id=st.sampled_from(NODES))
    def fall_silent(self, node_id: str) -> None:
        """Its leases expire; then it is there again, and may still speak of what it had."""
        self.wait(self.farm.clock.advance(timedelta(seconds=70)))
        for other, node in self.nodes.items():
            if other != node_id:
                self.wait(node.beat())
        self.wait(self.farm.let_verdicts_open())
        self.wait(self.engine.upkeep.expire_leases())
        self.wait(self.nodes[node_id].beat())
        self.suite.moments += 1
        self.lose(node_id, "expired")

    @invariant()
    def books_agree(self) -> None:
        if not hasattr(self, "suite"):
            return
        rows = self.wait(self.engine.database.fetch(UNITS))
        assert [tuple(row.values()) for row in rows] == [
            (
                unit.name,
                unit.failures,
                unit.losses,
                unit.in_flight,
                unit.verdict,
                unit.judged_by,
                unit.is_flaky,
                unit.verdict is not None,
            )
            for unit in self.suite.units
        ]
        assert self.wait(self.engine.upkeep.check_invariants()) == []

    def end_all(self) -> None:
        """Every phone that is left ends; then every test has a verdict, and the run is as the model says."""
        while not all(job.ended is not None for job in self.suite.jobs.values()):
            for node_id in NODES:
                self.pull(node_id)
            self.finish(0, "succeeded")
        self.books_agree()
        run = self.wait(self.farm.run(self.run.run_id))
        assert run.status == self.suite.status_of_run()

    def live(self) -> list[UUID]:
        return (
            [job.token for job in self.suite.jobs.values() if job.token is not None and job.is_live(job.token)]
            if hasattr(self, "suite")
            else []
        )

    def pick_live(self, pick: int) -> UUID:
        live = self.live()
        return live[pick % len(live)]

    def job_of(self, token: UUID) -> ModelJob:
        return self.suite.jobs[self.phones[token].grant.job_id]

    def offer(self, token: UUID) -> None:
        tests = [{"class_name": "com.example.SomeTest", "name": unit.name} for unit in self.suite.units]
        offered = self.wait(
            self.phones[token].offer(
                tests, test_retries=self.suite.test_retries, infra_retries=self.suite.infra_retries
            )
        )
        assert offered.total == len(self.suite.units)
        self.suite.release(token)

    def tell_one(self, token: UUID, name: str, try_: int, status: str) -> None:
        (told,) = self.wait(self.phones[token].tell(result(name, status, try_=try_)))

        (unit,) = [unit for unit in self.suite.units if unit.name == name]
        assert told.outcome == self.suite.tell(self.job_of(token), token, unit, try_, status)

    def lose(self, node_id: str, ending: str) -> None:
        for token, phone in self.phones.items():
            job = self.job_of(token)
            if phone.node.node_id == node_id and job.is_live(token):
                job.endings[token] = ending
