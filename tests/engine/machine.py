"""A hypothesis state machine that drives the engine and the model side by side, and compares them after every step."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from corral.engine import Engine
from corral.model.errors import ConflictError, StaleEpochError
from corral.model.records import Json
from corral.model.states import Health
from tests.engine.malformed import MALFORMED
from tests.engine.model import Model, ModelDevice, ModelJob, ModelLease, ModelRun, ModelSession, token_of
from tests.postgres import FROZEN_CLOCK, KeptDatabase, Server, execute

T = TypeVar("T")

BOOKS: Final = """
select (select coalesce(jsonb_agg(jsonb_build_array(job_id, status, attempt, device_id, lease_token, failure_reason)), '[]')
          from corral.jobs) as jobs,
       (select coalesce(jsonb_agg(jsonb_build_array(run_id, status)), '[]') from corral.runs) as runs,
       (select coalesce(jsonb_agg(jsonb_build_array(job_id, job_attempt, name, status)), '[]') from corral.job_steps) as steps,
       (select coalesce(jsonb_agg(jsonb_build_array(device_id, node_id, job_id, lease_token, fence, is_available)), '[]')
          from corral.lanes) as lanes,
       (select coalesce(jsonb_agg(jsonb_build_array(session_id, state, end_reason,
                                                    extract(epoch from expires_at - timestamptz '2030-01-01T00:00:00Z'))), '[]')
          from corral.device_session_states) as sessions,
       (select jsonb_object_agg(device_id, ticket) from corral.lanes) as tickets
"""
STEP: Final = 9
NODES: Final = ("node-1", "node-2", "node-3")
MOST_OPEN_RUNS: Final = 4
MOST_SESSIONS: Final = 3

nodes = st.sampled_from(NODES)
picks = st.integers(min_value=0, max_value=40)
kinds = st.sampled_from(
    [
        "job_started",
        "step_started",
        "step_finished",
        "log",
        "artifact_created",
        "succeeded",
        "failed",
        "interrupted",
        "cancelled",
    ]
)


@dataclass
class World:
    """Where the machine runs: a server, a new database for each example, and an event loop of its own.

    One that is merely emptied may return its rows in another order, and the same choices would then lead elsewhere.
    """

    server: Server
    broken: str = ""
    """What its database defines otherwise than others."""
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _database: KeptDatabase | None = None

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def begin(self) -> Engine:
        """An engine on a farm in which nothing has happened, and whose clock stands still."""
        self.end()
        self._database = self.wait(self._make())
        self.wait(self._database.database.fetch(FROZEN_CLOCK))
        return Engine(self._database.database)

    def end(self) -> None:
        if self._database is not None:
            self.wait(self._database.drop())
            self._database = None

    async def _make(self) -> KeptDatabase:
        made = await KeptDatabase.make(self.server.dsn, self.server.new_name("machine"), max_connections=1)
        if self.broken:
            await execute(made.dsn, self.broken)
        return made

    def close(self) -> None:
        self.end()
        self.loop.close()


class FarmMachine(RuleBasedStateMachine):
    """Three nodes with a few devices each, small caps, and everything that may go wrong with them."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.model = Model()
        self.sent: list[tuple[str, Json]] = []
        self.withheld: list[tuple[ModelLease, Json]] = []
        self.requests: list[tuple[str, UUID]] = []
        self.top_ticket = 0
        self.waiting: dict[UUID, tuple[UUID | None, int | None]] = {}
        self.engine = world.begin()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.world.wait(work)

    def teardown(self) -> None:
        self.wait(self.engine.announcements.flush())

    # The farm.

    @initialize(
        sizes=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 1), st.integers(1, 4)), min_size=3, max_size=3)
    )
    def build(self, sizes: list[tuple[int, int, int]]) -> None:
        self.workflow_id = self.wait(
            self.engine.workflows.create_workflow("smoke", {"steps": []}, mode="device")
        ).workflow_id
        self.sizes = dict(zip(NODES, sizes, strict=True))
        for node_id, (_, _, count) in self.sizes.items():
            self.register(node_id, f"state-{node_id}")
            serials = [{"serial": f"{node_id}-{n}"} for n in range(count)]
            self.wait(self.engine.nodes.report_devices(node_id, epoch=1, devices=serials))
        for row in self.wait(self.engine.database.fetch("select * from corral.devices order by index_no")):
            device = ModelDevice(row["device_id"], row["serial"], row["node_id"], row["node_id"], row["index_no"])
            self.model.devices[device.device_id] = device
        self.open_verdicts()
        for cap, limits in ((None, (2, 3600, 600)), (1, (1, 20, 30))):
            self.create_run("all", cap, 0, "skip", limits)
        for node_id in NODES:
            self.pull(node_id, 4)

    def open_verdicts(self) -> None:
        """As if upkeep had ticked for a whole lease time already."""
        statement = "update corral.upkeep set last_tick_at = corral.fn_now(), verdicts_from = corral.fn_now() - interval '1 hour'"
        self.wait(self.engine.database.fetch(statement))
        self.model.last_tick_at, self.model.verdicts_from = self.model.now, self.model.now - 3600

    def register(self, node_id: str, state_id: str) -> None:
        slots, lookahead, _ = self.sizes[node_id]
        registration = self.wait(
            self.engine.nodes.register_node(node_id, state_id=state_id, max_concurrency=slots, lookahead=lookahead)
        )
        requeued = self.model.register(node_id, state_id, slots, lookahead)
        assert (registration.epoch, registration.requeued) == (self.model.nodes[node_id].epoch, requeued)

    # Runs.

    @precondition(
        lambda self: sum(r.status in ("queued", "running") for r in self.model.runs.values()) < MOST_OPEN_RUNS
    )
    @rule(
        where=st.sampled_from(["all", "all", "node-1", "node-2", "any"]),
        cap=st.sampled_from([None, None, 1, 2]),
        priority=st.sampled_from([0, 0, 5]),
        offline=st.sampled_from(["skip", "wait"]),
        limits=st.tuples(st.integers(1, 3), st.sampled_from([20, 3600]), st.sampled_from([30, 600])),
    )
    def create_run(
        self, where: str, cap: int | None, priority: int, offline: str, limits: tuple[int, int, int]
    ) -> None:
        max_attempts, wait_timeout, timeout = limits
        policy: Json = {
            "offline": offline,
            "max_attempts": max_attempts,
            "priority": priority,
            "wait_timeout_s": wait_timeout,
        }
        if cap is not None:
            policy["concurrency"] = cap
        targets: dict[str, Json] = {"all": {"all": True}, "any": {"any": 3}}
        wanted = targets.get(where, {"nodes": [where]})
        request = {"target": wanted, "policy": policy, "timeout_s": timeout}
        run_id = self.wait(self.engine.runs.create_run(self.workflow_id, request)).run_id
        run = self.model.runs[run_id] = ModelRun(run_id, offline == "skip", wait_timeout, cap)

        rows = self.wait(
            self.engine.database.fetch("select * from corral.jobs where run_id = $1 order by position", run_id)
        )
        matching = [d for d in self.model.devices.values() if where in ("all", d.node_id)]
        expected = [None] * 3 if where == "any" else [d.device_id for d in matching]
        assert [row["device_id"] for row in rows] == expected
        for row in rows:
            self.model.jobs[row["job_id"]] = ModelJob(
                row["job_id"],
                run,
                row["device_id"],
                row["position"],
                priority,
                max_attempts,
                timeout,
                self.model.now,
                where == "any",
            )
        self.model.end_run(run)

    @precondition(lambda self: bool(self.model.runs))
    @rule(pick=picks)
    def cancel_run(self, pick: int) -> None:
        run = chosen(list(self.model.runs.values()), pick)
        self.wait(self.engine.runs.cancel_run(run.run_id))
        self.model.cancel_run(run)

    # Sessions: they contend with the runs for the same phones.

    @precondition(lambda self: sum(s.end_reason is None for s in self.model.sessions.values()) < MOST_SESSIONS)
    @rule(pick=picks, is_named=st.booleans(), ttl=st.sampled_from([20, 600]))
    def open_session(self, pick: int, is_named: bool, ttl: int) -> None:  # noqa: FBT001 - hypothesis calls by name
        device = chosen(list(self.model.devices.values()), pick) if is_named else None
        opened = self.wait(
            self.engine.reservations.open_session(
                "ann", device=None if device is None else device.serial, ttl=timedelta(seconds=ttl)
            )
        )
        run = self.model.runs[opened.run_id] = ModelRun(opened.run_id, skip_offline=True, wait_timeout=3600, cap=None)
        query = "select * from corral.jobs where run_id = $1"
        (row,) = self.wait(self.engine.database.fetch(query, opened.run_id))
        device_id = None if device is None else device.device_id
        assert row["device_id"] == device_id
        day, now, position = 86_400, self.model.now, row["position"]
        job = ModelJob(row["job_id"], run, device_id, position, 0, 1, day, now, is_pooled=device is None)
        self.model.jobs[job.job_id] = job
        self.model.sessions[opened.session_id] = ModelSession(opened.session_id, run, job, "ann", ttl, now)

    @precondition(lambda self: bool(self.model.sessions))
    @rule(pick=picks, actor=st.sampled_from(["ann", "bob"]))
    def release_session(self, pick: int, actor: str) -> None:
        session = chosen(list(self.model.sessions.values()), pick)
        self.wait(self.engine.reservations.release_session(session.session_id, actor=actor, reason="mine now"))
        self.model.end_session(session, "released" if actor == session.holder else "forced")

    @precondition(lambda self: bool(self.model.sessions))
    @rule(pick=picks)
    def renew_session(self, pick: int) -> None:
        session = chosen(list(self.model.sessions.values()), pick)
        may_be_renewed = session.end_reason is None and session.expires_at > self.model.now
        try:
            self.wait(self.engine.reservations.renew_session(session.session_id, actor="ann"))
        except ConflictError:
            assert not may_be_renewed
        else:
            assert may_be_renewed
            session.renewed_at = self.model.now

    # Pulls and heartbeats.

    @rule(node_id=nodes, want=st.integers(0, 4))
    def pull_more(self, node_id: str, want: int) -> None:
        self.pull(node_id, want)

    @rule(node_id=nodes, want=st.integers(0, 4))
    def pull(self, node_id: str, want: int) -> None:
        request_id = uuid4()
        self.requests.append((node_id, request_id))
        self.check_pull(node_id, want, request_id)

    @rule(node_id=nodes, kinds=st.lists(kinds, min_size=1, max_size=3), pick=picks)
    def work(self, node_id: str, kinds: list[str], pick: int) -> None:
        """A node's common life and its common mishaps, in one rule.

        Hypothesis switches rules off at random; without this one, most examples would lack something that others need.
        """
        self.pull(node_id, 4)
        self.repeat_pull(0, 4)
        for n, lease in enumerate([lease for lease in live(self) if lease.node_id == node_id]):
            overtaken = self.event(lease, "step_started")
            self.send(node_id, [self.event(lease, kinds[n % len(kinds)])])
            self.send(node_id, [overtaken])
        if pick % 2 and (held := live(self)):
            self.send(held[0].node_id, [self.event(held[0], "interrupted")])
            self.pull(held[0].node_id, 4)
        if superseded := [x for x in self.model.leases if x.job.token != x.token and not x.job.is_ended]:
            lease = chosen(superseded, pick)
            lease.next_seq += 100  # beyond whatever the newer lease has said
            self.send(lease.node_id, [self.event(lease, kinds[0])])
        if live(self):
            self.report_in_anothers_name(pick, kinds[-1], node_id)
        if all(run.status not in ("queued", "running") for run in self.model.runs.values()):
            self.create_run("all", None, 0, "wait", (2, 3600, 600))

    @precondition(lambda self: bool(self.requests))
    @rule(pick=picks, want=st.integers(1, 4))
    def repeat_pull(self, pick: int, want: int) -> None:
        node_id, request_id = chosen(self.requests, pick)
        self.check_pull(node_id, want, request_id)

    def check_pull(self, node_id: str, want: int, request_id: UUID) -> None:
        self.the_books_are_the_models()  # reads the tickets, which say whose turn it is
        epoch = self.model.nodes[node_id].epoch
        grants = self.wait(self.engine.nodes.pull_job(node_id, epoch=epoch, want=want, request_id=request_id))
        repeated, granted = self.model.pull(node_id, want, request_id)
        if repeated:
            assert {grant.lease_token for grant in grants} == {token_of(device) for device in repeated}
            return
        assert [(grant.device_id, grant.job_id) for grant in grants] == [(d.device_id, j.job_id) for d, j in granted]
        known = {lease.token for lease in self.model.leases}
        for grant, (device, job) in zip(grants, granted, strict=True):
            assert grant.lease_token not in known
            assert grant.attempt == job.attempt + 1
            self.model.grant(device, job, grant.lease_token, request_id)

    @rule(node_id=nodes, named=st.sampled_from(["all", "all", "some", "none"]))
    def heartbeat(self, node_id: str, named: str) -> None:
        tokens = self.model.held_by(node_id)
        self.beat(node_id, {"all": tokens, "some": tokens[::2], "none": []}[named])

    def beat(self, node_id: str, held: Sequence[UUID], devices: Sequence[Json] = ()) -> None:
        node = self.model.nodes[node_id]
        reply = self.wait(self.engine.nodes.heartbeat(node_id, epoch=node.epoch, held=held, devices=devices))
        self.model.heartbeat(node_id, held)
        kept = set(self.model.held_by(node_id)) - set(self.model.must_let_go_of(node_id))
        assert set(reply.lost) == set(held) - kept
        assert set(reply.cancel) == {token_of(d) for d in self.model.lanes_of(node_id) if d.cancel_requested}
        assert reply.draining == (node.draining_since is not None)

    @rule(node_id=nodes)
    def speak_with_an_old_epoch(self, node_id: str) -> None:
        try:
            epoch = self.model.nodes[node_id].epoch - 1
            self.wait(self.engine.nodes.pull_job(node_id, epoch=epoch, want=4, request_id=uuid4()))
        except StaleEpochError:
            return
        msg = "a predecessor was served"
        raise AssertionError(msg)

    # Events.

    @precondition(lambda self: bool(self.model.leases))
    @rule(
        items=st.lists(st.tuples(picks, kinds), min_size=1, max_size=4),
        order=st.randoms(use_true_random=False),
    )
    def report_in_any_order(self, items: list[tuple[int, str]], order: Any) -> None:  # noqa: ANN401 - hypothesis' random
        """Several events of one node, shuffled; some stay behind for later."""
        leases = [chosen(self.model.leases, pick) for pick, _ in items]
        events = [(lease, self.event(lease, kind)) for lease, (_, kind) in zip(leases, items, strict=True)]
        order.shuffle(events)
        node_id = events[0][0].node_id
        self.withheld += [(lease, event) for lease, event in events if lease.node_id != node_id]
        self.send(node_id, [event for lease, event in events if lease.node_id == node_id])

    @precondition(lambda self: bool(live(self)))
    @rule(pick=picks, kind=kinds, is_withheld=st.sampled_from([False, False, True]))
    def report(self, pick: int, kind: str, is_withheld: bool) -> None:  # noqa: FBT001 - hypothesis calls by name
        lease = chosen(live(self), pick)
        event = self.event(lease, kind)
        if is_withheld:
            self.withheld.append((lease, event))
        else:
            self.send(lease.node_id, [event])

    @precondition(lambda self: bool(live(self)))
    @rule(pick=picks)
    def start(self, pick: int) -> None:
        lease = chosen(live(self), pick)
        self.send(lease.node_id, [self.event(lease, "job_started")])

    @precondition(lambda self: bool(live(self)))
    @rule(pick=picks, outcome=st.sampled_from(["succeeded", "failed"]))
    def finish(self, pick: int, outcome: str) -> None:
        lease = chosen(live(self), pick)
        self.send(lease.node_id, [self.event(lease, "job_started"), self.event(lease, outcome)])

    @precondition(lambda self: bool(self.withheld))
    @rule(pick=picks)
    def report_late(self, pick: int) -> None:
        lease, event = chosen(self.withheld, pick)
        self.send(lease.node_id, [event])

    @precondition(lambda self: bool(self.model.leases))
    @rule(pick=picks, kind=kinds)
    def report_under_an_old_token(self, pick: int, kind: str) -> None:
        lease = chosen(self.model.leases[:-1] or self.model.leases, pick)
        self.send(lease.node_id, [self.event(lease, kind)])

    @precondition(lambda self: bool(self.model.leases))
    @rule(pick=picks, kind=kinds, node_id=nodes)
    def report_in_anothers_name(self, pick: int, kind: str, node_id: str) -> None:
        others = [lease for lease in live(self) if lease.node_id != node_id] or self.model.leases
        self.send(node_id, [self.event(chosen(others, pick), kind)])

    @precondition(lambda self: bool(self.sent))
    @rule(pick=picks, times=st.integers(1, 2))
    def resend(self, pick: int, times: int) -> None:
        node_id, event = chosen(self.sent, pick)
        self.send(node_id, [event] * times)

    @precondition(lambda self: bool(live(self)))
    @rule(pick=picks, kind=kinds, flaw=st.sampled_from(sorted(MALFORMED)), place=st.integers(0, 2))
    def report_with_a_malformed_event(self, pick: int, kind: str, flaw: str, place: int) -> None:
        lease = chosen(live(self), pick)
        events = [self.event(lease, "step_started"), self.event(lease, kind)]
        verdict, spoil = MALFORMED[flaw]
        bad = spoil(self.event(lease, "step_finished"))
        events.insert(place, bad)
        self.send(lease.node_id, events, [verdict if event is bad else "ok" for event in events])

    def event(self, lease: ModelLease, kind: str) -> Json:
        event: Json = {
            "event_id": str(uuid4()),
            "job_id": str(lease.job.job_id),
            "lease_token": str(lease.token),
            "seq": lease.next_seq,
            "type": kind,
        }
        lease.next_seq += 1
        step = f"step-{lease.next_seq % 2}"
        match kind:
            case "step_started":
                return event | {"step": step, "position": 1, "total": 2}
            case "step_finished":
                return event | {"step": step, "status": "succeeded", "probability": 0.5}
            case "log":
                return event | {"lines": [{"message": "nul \x00 and \\u0000", "level": "loud"}]}
            case "artifact_created":
                device = self.model.devices[lease.device_id]
                name = f"20260102T030405678Z-{uuid4().hex[:8]}.png"
                key = f"_/{lease.node_id}/{device.serial}/{lease.job.run.run_id}/{name}"
                return event | {"key": key, "kind": "screenshot"}
            case "job_started":
                return event
        reason = {"failure_reason": "a reason of next year", "error_message": "\x00"} if kind == "failed" else {}
        return event | {
            "type": "job_finished",
            "outcome": kind,
            "steps": [{"step": step, "status": "failed"}],
            **reason,
        }

    def send(self, node_id: str, events: Sequence[Json], verdicts: Sequence[str] | None = None) -> None:
        verdicts = verdicts or ["ok"] * len(events)
        results = self.wait(self.engine.events.apply_node_events(node_id, events))
        expected = self.model.apply_events(node_id, events, verdicts)
        assert [result.outcome for result in results] == expected, results
        self.sent += [(node_id, e) for e, verdict in zip(events, verdicts, strict=True) if verdict == "ok"]

    # Trouble.

    @rule(node_id=nodes, keeps_state=st.booleans())
    def reboot(self, node_id: str, keeps_state: bool) -> None:  # noqa: FBT001 - hypothesis calls by name
        self.register(node_id, self.model.nodes[node_id].state_id if keeps_state else uuid4().hex)

    @rule(seconds=st.sampled_from([1, 9, 31, 70, 140]), beating=st.sets(nodes, min_size=1))
    def let_time_pass(self, seconds: int, beating: set[str]) -> None:
        self.pass_time(seconds, sorted(beating))
        self.run_upkeep()

    def pass_time(self, seconds: int, beating: Sequence[str]) -> None:
        while seconds > 0:
            self.move_clock(min(seconds, STEP))
            for node_id in beating:
                self.beat(node_id, self.model.held_by(node_id))
            self.wait(self.engine.upkeep.tick_upkeep())
            self.model.tick()
            seconds -= STEP

    @rule(seconds=st.sampled_from([1, 15, 61]))
    def lose_the_server_for(self, seconds: int) -> None:
        self.move_clock(seconds)

    def move_clock(self, seconds: int) -> None:
        by = timedelta(seconds=seconds)
        self.wait(self.engine.database.fetch("update corral_test.clock set moved_by = moved_by + $1", by))
        self.model.now += seconds

    @rule()
    def run_upkeep(self) -> None:
        upkeep = self.engine.upkeep
        for act in (
            upkeep.tick_upkeep,
            upkeep.expire_leases,
            upkeep.expire_sessions,
            upkeep.resolve_contested,
            upkeep.skip_unavailable,
            upkeep.time_out_pools,
            upkeep.resume_unfinished_work,
            upkeep.finish_open_runs,
        ):
            self.wait(act())
        self.model.run_upkeep()

    @rule(
        pick=picks,
        connection=st.sampled_from(["connected", "connected", "offline", "gone"]),
        health=st.sampled_from(["ok", "ok", "suspect", "quarantined"]),
    )
    def see_device(self, pick: int, connection: str, health: str) -> None:
        device = chosen(list(self.model.devices.values()), pick)
        self.tell_of(device.node_id, device, connection=connection, health=health)

    @rule(pick=picks, node_id=nodes)
    def plug_device_in_at(self, pick: int, node_id: str) -> None:
        self.tell_of(node_id, chosen(list(self.model.devices.values()), pick), connection="connected")

    def tell_of(self, node_id: str, device: ModelDevice, **body: str) -> None:
        self.model.renew(node_id)
        self.model.report(node_id, device, body)
        self.beat(node_id, self.model.held_by(node_id), [{"serial": device.serial, **body}])

    @rule(node_id=nodes, pick=picks)
    def list_all_devices_but_one(self, node_id: str, pick: int) -> None:
        own = [device for device in self.model.devices.values() if device.node_id == node_id]
        missing = own[pick % len(own)] if own else None
        listed = [device for device in own if device is not missing]
        self.wait(
            self.engine.nodes.report_devices(
                node_id,
                epoch=self.model.nodes[node_id].epoch,
                devices=[{"serial": device.serial, "connection": "connected"} for device in listed],
                is_complete=True,
            )
        )
        self.model.renew(node_id)
        for device in listed:
            self.model.report(node_id, device, {"connection": "connected"})
        if missing is not None:
            self.model.report(node_id, missing, {"connection": "gone"})

    @rule(pick=picks, health=st.sampled_from([Health.OK, Health.QUARANTINED]))
    def judge_device(self, pick: int, health: Health) -> None:
        device = chosen(list(self.model.devices.values()), pick)
        self.wait(self.engine.devices.update_device(device.device_id, health=health, health_reason="hot"))
        self.model.judge_device(device, health)

    @rule(node_id=nodes, draining=st.booleans())
    def drain(self, node_id: str, draining: bool) -> None:  # noqa: FBT001 - hypothesis calls by name
        self.wait(self.engine.nodes.drain_node(node_id, draining=draining))
        self.model.drain(node_id, draining=draining)

    # After every step.

    @invariant()
    def the_invariants_hold(self) -> None:
        assert self.wait(self.engine.upkeep.check_invariants()) == []

    @invariant()
    def the_books_are_the_models(self) -> None:
        books = self.wait(self.engine.database.fetch_one(BOOKS))
        assert books is not None
        model = self.model
        assert as_set(books["runs"]) == {(str(run.run_id), run.status) for run in model.runs.values()}
        assert as_set(books["jobs"]) == {
            (text(j.job_id), j.status, j.attempt, text(j.device_id), text(j.token), j.failure_reason)
            for j in model.jobs.values()
        }
        assert as_set(books["sessions"]) == {
            (str(session.session_id), session.state, session.end_reason, session.expires_at)
            for session in model.sessions.values()
        }
        assert as_set(books["steps"]) == {
            (str(job), attempt, step, s) for (job, attempt, step), s in model.steps.items()
        }
        self.check_lanes(as_set(books["lanes"]), books["tickets"] or {})

    def check_lanes(self, lanes: set[tuple[Any, ...]], tickets: dict[str, int | None]) -> None:
        expected, top = set(), self.top_ticket
        for device in self.model.devices.values():
            job = device.leased or self.model.head_of(device)
            token = text(job.token) if job and device.leased else None
            row = (
                str(device.device_id),
                device.lane_node_id,
                text(job.job_id if job else None),
                token,
                device.fence,
                device.is_available,
            )
            expected.add(row)
            ticket = tickets[str(device.device_id)]
            assert (ticket is None) == (job is None or device.leased is not None)
            head = (job.job_id if job else None, ticket)
            if ticket is not None and self.waiting.get(device.device_id) != head:
                assert ticket > top, "a head that is new to its lane goes to the tail of the round"
                self.top_ticket = max(self.top_ticket, ticket)
            self.waiting[device.device_id] = head
            device.ticket = ticket
        assert lanes == expected


def live(machine: FarmMachine) -> list[ModelLease]:
    """Leases under which their job still is, or was until it went back to the queue."""
    return [lease for lease in machine.model.leases if lease.job.token == lease.token and not lease.job.is_ended]


def chosen(things: Sequence[T], pick: int) -> T:
    """Small picks are the newest, so that what shrinks stays close to what just happened."""
    return things[-1 - pick % len(things)]


def text(value: UUID | None) -> str | None:
    return None if value is None else str(value)


def as_set(rows: Sequence[Sequence[Any]]) -> set[tuple[Any, ...]]:
    return {tuple(row) for row in rows}
