"""The engine's rules once more, in plain Python: what DESIGN.md §3 and §4 say should happen, one call after another.

The state machine asks this model what the engine must answer, and compares the two after every step. It knows nothing of
SQL, locks or concurrency. Times are whole seconds of a clock that stands still between two steps.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

Json = dict[str, Any]

LEASE: Final = 60
GRACE: Final = 30
LOST_GRACE: Final = 600
START_WITHIN: Final = 3600
DEADLINE_SLACK: Final = 60
UPKEEP_GAP: Final = 10
SILENCE_LIMIT: Final = 3600
SILENCE_MINIMUM: Final = 2

LIVE: Final = ("leased", "running")
STATE_EVENTS: Final = ("job_started", "step_started", "step_finished", "job_finished")


@dataclass
class ModelNode:
    node_id: str
    max_concurrency: int
    lookahead: int
    epoch: int
    state_id: str
    lease_until: int
    former_lease_until: int | None = None
    expired_at: int | None = None
    draining_since: int | None = None


@dataclass
class ModelDevice:
    """A device and its lane: what is leased here, to whom, since when."""

    device_id: UUID
    serial: str
    node_id: str
    lane_node_id: str
    index_no: int
    connection: str = "connected"
    health: str = "ok"
    health_by: str = "node"
    contested_node_id: str | None = None
    unavailable_since: int | None = None
    ticket: int | None = None
    fence: int = 0
    leased: "ModelJob | None" = None
    lease_epoch: int = 0
    request_id: UUID | None = None
    granted_at: int = 0
    unnamed_beats: int = 0
    cancel_requested: bool = False
    contested_connection: str = "connected"

    @property
    def is_available(self) -> bool:
        return self.unavailable_since is None and self.contested_node_id is None


@dataclass
class ModelRun:
    run_id: UUID
    skip_offline: bool
    wait_timeout: int
    cap: int | None
    status: str = "queued"
    cancel_requested: bool = False


@dataclass
class ModelJob:
    job_id: UUID
    run: ModelRun
    device_id: UUID | None
    position: int
    priority: int
    max_attempts: int
    timeout: int
    queued_at: int
    is_pooled: bool
    status: str = "queued"
    attempt: int = 0
    is_started: bool = False
    owner: str | None = None
    token: UUID | None = None
    state_seq: int = 0
    deadline_at: int | None = None
    given_back_at: int = 0
    failure_reason: str | None = None

    started_at: int | None = None

    @property
    def is_ended(self) -> bool:
        return self.status not in ("queued", *LIVE)


@dataclass
class ModelSession:
    """A phone held for somebody, by a run of one job."""

    session_id: UUID
    run: ModelRun
    job: ModelJob
    holder: str
    ttl: int
    renewed_at: int
    end_reason: str | None = None

    @property
    def state(self) -> str:
        if self.end_reason is not None:
            return "ended"
        return "active" if self.job.status == "running" else "waiting"

    @property
    def expires_at(self) -> int:
        return max(self.renewed_at, self.renewed_at if self.job.started_at is None else self.job.started_at) + self.ttl


@dataclass
class ModelLease:
    """A right once given: what events are made from, also long after it ended."""

    job: ModelJob
    token: UUID
    node_id: str
    device_id: UUID
    next_seq: int = 1


@dataclass
class Model:
    now: int = 0
    nodes: dict[str, ModelNode] = field(default_factory=dict)
    devices: dict[UUID, ModelDevice] = field(default_factory=dict)
    runs: dict[UUID, ModelRun] = field(default_factory=dict)
    jobs: dict[UUID, ModelJob] = field(default_factory=dict)
    leases: list[ModelLease] = field(default_factory=list)
    sessions: dict[UUID, ModelSession] = field(default_factory=dict)
    recorded: set[tuple[str, str]] = field(default_factory=set)
    steps: dict[tuple[UUID, int, str], str] = field(default_factory=dict)
    last_tick_at: int | None = None
    verdicts_from: int | None = None
    silence_since: int | None = None

    # What waits, what is held.

    def head_of(self, device: ModelDevice) -> ModelJob | None:
        waiting = [job for job in self.jobs.values() if job.status == "queued" and job.device_id == device.device_id]
        return min(waiting, key=lambda job: (-job.priority, job.position), default=None)

    def lanes_of(self, node_id: str) -> list[ModelDevice]:
        return [device for device in self.devices.values() if device.lane_node_id == node_id]

    def held_by(self, node_id: str) -> list[UUID]:
        """The tokens that the node holds by the books, of this epoch and of earlier ones."""
        return [token_of(device) for device in self.lanes_of(node_id) if device.leased is not None]

    def must_let_go_of(self, node_id: str) -> list[UUID]:
        """The tokens of devices that the node holds, reported gone, and that another one sees."""
        return [
            token_of(device)
            for device in self.lanes_of(node_id)
            if device.leased is not None and device.contested_node_id is not None and device.connection == "gone"
        ]

    def in_flight(self, run: ModelRun) -> int:
        return sum(1 for job in self.jobs.values() if job.run is run and job.status in LIVE)

    def is_silent(self, node_id: str) -> bool:
        return self.nodes[node_id].lease_until < self.now

    # Nodes.

    def register(self, node_id: str, state_id: str, max_concurrency: int, lookahead: int) -> int:
        """Returns how many leases the proof of death gave back."""
        former = self.nodes.get(node_id)
        if former is None:
            until = self.now + LEASE
            self.nodes[node_id] = ModelNode(node_id, max_concurrency, lookahead, 1, state_id, until)
            return 0
        is_proof = former.state_id == state_id
        lost = [d for d in self.lanes_of(node_id) if d.leased and is_proof and d.lease_epoch == former.epoch]
        former.former_lease_until = max(former.former_lease_until or 0, former.lease_until)
        former.epoch += 1
        former.state_id = state_id
        former.lease_until = self.now + LEASE
        return self.take_back(lost)

    def renew(self, node_id: str) -> None:
        node = self.nodes[node_id]
        node.lease_until = max(node.lease_until, self.now + LEASE)

    def heartbeat(self, node_id: str, held: Sequence[UUID]) -> None:
        self.renew(node_id)
        epoch = self.nodes[node_id].epoch
        lost, late = [], []
        for device in self.lanes_of(node_id):
            if device.leased is None:
                continue
            if device.lease_epoch == epoch and device.granted_at < self.now:
                device.unnamed_beats = 0 if token_of(device) in held else device.unnamed_beats + 1
            if device.unnamed_beats >= 2:
                lost.append(device)
            elif (device.leased.deadline_at or 0) < self.now and self.verdicts_are_open():
                late.append(device.leased)
        self.take_back(lost)
        for job in late:
            self.conclude(job, "cancelled" if job.run.cancel_requested else "failed", "job_timeout")

    def drain(self, node_id: str, *, draining: bool) -> None:
        node = self.nodes[node_id]
        since = node.draining_since if node.draining_since is not None else self.now
        node.draining_since = since if draining else None

    # Pulls.

    def pull(
        self, node_id: str, want: int, request_id: UUID
    ) -> tuple[list[ModelDevice], list[tuple[ModelDevice, ModelJob]]]:
        """What a pull must answer: the lanes it was given before, or the new (lane, job) pairs in their order."""
        self.renew(node_id)
        node, lanes = self.nodes[node_id], self.lanes_of(node_id)
        if repeated := [lane for lane in lanes if lane.leased and lane.request_id == request_id]:
            return repeated, []
        held = len(self.held_by(node_id))
        room = min(want, node.max_concurrency + node.lookahead - held)
        if node.draining_since is not None or room <= 0:
            return [], []
        picked = self._pick_lanes(lanes, room, node.max_concurrency - held)
        pool_room = min(room, node.max_concurrency - held) - len(picked)
        return [], picked + self._pick_pool(lanes, pool_room, [job for _, job in picked])

    def _pick_lanes(
        self, lanes: Iterable[ModelDevice], room: int, gated_room: int
    ) -> list[tuple[ModelDevice, ModelJob]]:
        heads = [
            (lane, head) for lane in lanes if lane.is_available and not lane.leased and (head := self.head_of(lane))
        ]
        heads.sort(key=lambda pair: (-pair[1].priority, pair[0].ticket))
        picked: list[tuple[ModelDevice, ModelJob]] = []
        entered: dict[UUID, int] = defaultdict(int)
        gated = 0
        for lane, job in heads:
            if job.run.cap is not None:
                entered[job.run.run_id] += 1
                if self.in_flight(job.run) + entered[job.run.run_id] > job.run.cap:
                    continue
                gated += 1
                if gated > gated_room:
                    continue
            picked.append((lane, job))
        return picked[:room]

    def _pick_pool(
        self, lanes: Iterable[ModelDevice], room: int, granted: Sequence[ModelJob]
    ) -> list[tuple[ModelDevice, ModelJob]]:
        idle = [lane for lane in lanes if lane.is_available and not lane.leased and self.head_of(lane) is None]
        idle.sort(key=lambda lane: (lane.fence, lane.device_id))
        waiting = [job for job in self.jobs.values() if job.status == "queued" and job.device_id is None]
        waiting.sort(key=lambda job: (-job.priority, self._turn(job, waiting), job.run.run_id))
        bound: list[tuple[ModelDevice, ModelJob]] = []
        for job in waiting:
            if len(bound) >= room:
                break
            used = {j.device_id for j in self.jobs.values() if j.run is job.run}
            used |= {lane.device_id for lane, other in bound if other.run is job.run}
            taken = {lane.device_id for lane, _ in bound}
            lane = next((lane for lane in idle if lane.device_id not in used | taken), None)
            entering = sum(1 for other in [*granted, *(j for _, j in bound)] if other.run is job.run)
            if lane and (job.run.cap is None or self.in_flight(job.run) + entering < job.run.cap):
                bound.append((lane, job))
        return bound

    def _turn(self, job: ModelJob, waiting: Sequence[ModelJob]) -> int:
        """How many its run would have in flight with it: the fewer, the sooner it is served."""
        ahead = sum(1 for other in waiting if other.run is job.run and other.position <= job.position)
        return self.in_flight(job.run) + ahead

    def grant(self, device: ModelDevice, job: ModelJob, token: UUID, request_id: UUID) -> None:
        node = self.nodes[device.lane_node_id]
        device.leased, device.lease_epoch, device.request_id = job, node.epoch, request_id
        device.granted_at, device.unnamed_beats, device.cancel_requested = self.now, 0, False
        device.fence += 1
        job.status, job.device_id, job.owner, job.token = "leased", device.device_id, node.node_id, token
        job.is_started, job.state_seq, job.started_at = False, 0, None
        job.deadline_at = self.now + START_WITHIN + job.timeout
        self.leases.append(ModelLease(job, token, node.node_id, device.device_id))

    # Jobs that end or go back.

    def conclude(self, job: ModelJob, status: str, reason: str = "unknown") -> None:
        if job.is_ended:
            return
        if status == "queued":
            reason = "node_lost"
            if job.run.cancel_requested:
                status = "cancelled"
            elif job.is_started and job.attempt >= job.max_attempts:
                status = "failed"
        device = self.devices.get(job.device_id) if job.device_id else None
        if device is not None and device.leased is job:
            device.leased, device.request_id, device.unnamed_beats, device.cancel_requested = None, None, 0, False
        job.status, job.deadline_at, job.given_back_at = status, None, self.now
        job.failure_reason = reason if status == "failed" else None
        if status == "queued" and job.is_pooled:
            job.device_id = None
        self.end_run(job.run)

    def take_back(self, devices: Iterable[ModelDevice]) -> int:
        jobs = [device.leased for device in devices if device.leased is not None]
        for job in jobs:
            self.conclude(job, "queued")
        return len(jobs)

    def end_run(self, run: ModelRun) -> None:
        jobs = [job for job in self.jobs.values() if job.run is run]
        if any(not job.is_ended for job in jobs) or run.status not in ("queued", "running"):
            return
        ends = {job.status for job in jobs}
        if "cancelled" in ends or (not jobs and run.cancel_requested):
            run.status = "cancelled"
        elif "failed" in ends:
            run.status = "completed_with_errors" if "succeeded" in ends else "failed"
        else:
            run.status = "succeeded" if "succeeded" in ends else "skipped"
        for session in self.sessions.values():
            if session.run is run and session.end_reason is None:
                session.end_reason = _why_ended(session)

    def cancel_run(self, run: ModelRun) -> None:
        if run.status not in ("queued", "running"):
            return
        run.cancel_requested = True
        for device in self.devices.values():
            device.cancel_requested |= device.leased is not None and device.leased.run is run
        for job in [job for job in self.jobs.values() if job.run is run and job.status == "queued"]:
            self.conclude(job, "cancelled")

    # Sessions.

    def end_session(self, session: ModelSession, reason: str) -> None:
        if session.end_reason is None:
            session.end_reason = reason
            self.cancel_run(session.run)

    # Events.

    def apply_events(self, node_id: str, events: Sequence[Json], verdicts: Sequence[str]) -> list[str]:
        """The outcomes of a callback. `verdicts` says of each event: ok, invalid, or what spoils the transaction.

        `poison` fails as it is read, `spoilt` only where it would be applied; either way each event is then applied alone.
        """
        judged = self._judge(node_id, events, verdicts)
        spoils = [v == "poison" or (v == "spoilt" and o == "applied") for v, o in zip(verdicts, judged, strict=True)]
        if any(spoils) and len(events) > 1:
            pairs = zip(events, verdicts, strict=True)
            return [self.apply_events(node_id, [event], [verdict])[0] for event, verdict in pairs]
        if any(spoils):
            return ["invalid"]
        for event, outcome in zip(events, judged, strict=True):
            if outcome in ("applied", "stale"):
                self.recorded.add((node_id, event["event_id"]))
        self._apply([event for event, outcome in zip(events, judged, strict=True) if outcome == "applied"])
        return judged

    def _judge(self, node_id: str, events: Sequence[Json], verdicts: Sequence[str]) -> list[str]:
        outcomes: list[str] = []
        seen: set[str] = set()
        undecided = [e for e, verdict in zip(events, verdicts, strict=True) if verdict not in {"invalid", "poison"}]
        for event, verdict in zip(events, verdicts, strict=True):
            if verdict in ("invalid", "poison"):
                outcomes.append("invalid")
            elif event["event_id"] in seen or (node_id, event["event_id"]) in self.recorded:
                outcomes.append("duplicate")
            else:
                outcomes.append("applied" if self._counts(node_id, event, undecided) else "stale")
            seen.add(str(event.get("event_id")))
        return outcomes

    def _counts(self, node_id: str, event: Json, batch: Sequence[Json]) -> bool:
        job = self.jobs.get(UUID(event["job_id"]))
        token = UUID(event["lease_token"])
        if event["type"] not in STATE_EVENTS:
            return any(lease.job is job and lease.token == token and lease.node_id == node_id for lease in self.leases)
        if job is None or job.token != token or job.owner != node_id or job.is_ended or event["seq"] <= job.state_seq:
            return False
        ends = [e["seq"] for e in batch if e["type"] == "job_finished" and e["lease_token"] == event["lease_token"]]
        return not ends or event["seq"] <= min(ends)

    def _apply(self, events: Sequence[Json]) -> None:
        by_job: dict[UUID, list[Json]] = defaultdict(list)
        for event in events:
            if event["type"] in STATE_EVENTS:
                by_job[UUID(event["job_id"])].append(event)
        for job_id, told in by_job.items():
            job = self.jobs[job_id]
            self._move_on(job, told)
            self._write_steps(job, told)
            for event in told:
                if event["type"] == "job_finished":
                    self._end(job, event)

    def _move_on(self, job: ModelJob, told: Sequence[Json]) -> None:
        job.state_seq = max(event["seq"] for event in told)
        if not job.is_started and all(event.get("outcome") in ("interrupted", "cancelled") for event in told):
            return  # given back untouched
        if not job.is_started:
            job.attempt += 1
            job.is_started = True
            job.started_at = self.now
            if job.deadline_at is not None:
                job.deadline_at = self.now + job.timeout + DEADLINE_SLACK
        job.status = "running" if job.status == "leased" else job.status
        job.run.status = "running" if job.run.status == "queued" else job.run.status

    def _write_steps(self, job: ModelJob, told: Sequence[Json]) -> None:
        words: list[tuple[str, int, str]] = []
        for event in told:
            if event["type"] in ("step_started", "step_finished"):
                words.append((event["step"], event["seq"], event.get("status", "running")))
            words += [(step["step"], event["seq"], step["status"]) for step in event.get("steps", ())]
        for name in {word[0] for word in words}:
            _, _, status = max((w for w in words if w[0] == name), key=lambda w: (w[2] != "running", w[1]))
            if self.steps.get((job.job_id, job.attempt, name), "running") == "running":
                self.steps[job.job_id, job.attempt, name] = status

    def _end(self, job: ModelJob, event: Json) -> None:
        if event["outcome"] in ("succeeded", "failed"):
            self.conclude(job, event["outcome"], event.get("known_reason", "unknown"))
        elif job.status in LIVE:
            self.conclude(job, "queued")

    # Devices.

    def report(self, node_id: str, device: ModelDevice, body: Json) -> None:
        is_foreign = device.node_id != node_id
        is_contested = is_foreign and device.leased is not None
        connection = body.get("connection", "connected" if is_foreign else device.connection)
        if device.contested_node_id == node_id and connection in ("gone", "offline"):
            device.contested_node_id = None
        if is_foreign and connection in ("gone", "offline"):
            self._align(device)
            return
        if is_contested:
            device.contested_node_id, device.contested_connection = node_id, connection
        else:
            device.node_id = node_id
            device.connection = connection
            device.contested_node_id = None if is_foreign else device.contested_node_id
        if not (device.health_by == "operator" and device.health == "quarantined"):
            health = body.get("health", device.health)
            device.health_by = device.health_by if health == device.health else "node"
            device.health = health
        self._align(device)

    def judge_device(self, device: ModelDevice, health: str) -> None:
        """An operator's word on a device's health."""
        device.health, device.health_by = health, "operator"
        self._align(device)

    def _align(self, device: ModelDevice) -> None:
        if device.connection == "connected" and device.health != "quarantined":
            device.unavailable_since = None
        elif device.unavailable_since is None:
            device.unavailable_since = self.now
        if device.leased is None:
            device.lane_node_id = device.node_id

    # Upkeep.

    def verdicts_are_open(self) -> bool:
        if self.silence_since is not None or self.last_tick_at is None or self.verdicts_from is None:
            return False
        return self.last_tick_at >= self.now - UPKEEP_GAP and self.verdicts_from <= self.now - LEASE

    def tick(self) -> None:
        since = self.silence_since if self.silence_since is not None else self.now
        untils = [node.lease_until for node in self.nodes.values()]
        silent = sum(1 for until in untils if since - LEASE <= until < self.now + LEASE / 2)
        alive = sum(1 for until in untils if until >= self.now + LEASE / 2)
        is_quiet = silent >= SILENCE_MINIMUM and silent >= alive and since >= self.now - SILENCE_LIMIT
        is_gap = self.last_tick_at is None or self.now - self.last_tick_at > UPKEEP_GAP
        if is_gap or (self.silence_since is not None and not is_quiet and silent < alive):
            self.verdicts_from = self.now
        self.last_tick_at = self.now
        self.silence_since = since if is_quiet else None

    def run_upkeep(self) -> None:
        self.tick()
        if self.verdicts_are_open():
            for node_id in sorted(self.nodes):
                self._expire(self.nodes[node_id])
        for session in self.sessions.values():
            if session.expires_at <= self.now:
                self.end_session(session, "expired")
        self._resolve_contested()
        if self.verdicts_are_open():
            while self._skip_unavailable():
                pass
            for job in [j for j in self.jobs.values() if j.status == "queued" and j.device_id is None]:
                if max(job.queued_at, job.given_back_at) <= self.now - job.run.wait_timeout:
                    self.conclude(job, "failed", "wait_timeout")

    def _expire(self, node: ModelNode) -> None:
        is_silent = node.lease_until < self.now and (node.expired_at is None or node.expired_at <= node.lease_until)
        is_former_over = node.former_lease_until is not None and node.former_lease_until < self.now
        if is_silent or is_former_over:
            is_silent = node.lease_until < self.now
            self.take_back([d for d in self.lanes_of(node.node_id) if is_silent or d.lease_epoch < node.epoch])
            node.expired_at = self.now if is_silent else node.expired_at
            node.former_lease_until = None if is_former_over else node.former_lease_until

    def _resolve_contested(self) -> None:
        for device in self.devices.values():
            if device.leased is None and device.contested_node_id is not None:
                device.node_id, device.contested_node_id, device.connection = (
                    device.contested_node_id,
                    None,
                    device.contested_connection,
                )
                self._align(device)

    def _skip_unavailable(self) -> int:
        ends = []
        for device in self.devices.values():
            job = None if device.leased else self.head_of(device)
            if job is not None and (verdict := self._waits_in_vain(device, job)):
                ends.append((job, verdict))
        for job, verdict in ends:
            self.conclude(job, verdict if verdict == "skipped_offline" else "failed", verdict)
        return len(ends)

    def _waits_in_vain(self, device: ModelDevice, job: ModelJob) -> str | None:
        node = self.nodes[device.lane_node_id]
        silent_since = max(node.lease_until, self.verdicts_from or 0) if self.is_silent(node.node_id) else None
        offline = [device.unavailable_since, silent_since]
        offline_since = min((at for at in offline if at is not None), default=None)
        if job.run.skip_offline and offline_since is not None:
            if job.token is None and offline_since <= self.now - GRACE:
                return "skipped_offline"
            if job.token is not None and offline_since <= self.now - LOST_GRACE:
                return "node_lost"
        stuck_since = min((at for at in (offline_since, node.draining_since) if at is not None), default=None)
        if stuck_since is not None and max(stuck_since, job.queued_at) <= self.now - job.run.wait_timeout:
            return "wait_timeout"
        return None


def _why_ended(session: ModelSession) -> str:
    """What a session says whose run ended without anybody having ended the session."""
    if session.run.cancel_requested:
        return "forced"
    if session.job.failure_reason == "node_lost":
        return "node_lost"
    if session.job.failure_reason == "job_timeout":
        return "expired"
    return "refused" if session.job.started_at is None else "device_lost"


def token_of(device: ModelDevice) -> UUID:
    assert device.leased is not None
    assert device.leased.token is not None
    return device.leased.token
