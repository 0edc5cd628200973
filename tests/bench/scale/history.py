"""A database that has seen many jobs: whether they still cost what the first ones did, and what is left of them.

The jobs go through the engine's functions (runs, pulls, callbacks), called by the library and not over HTTP, which would
take several times as long here: it is the database that is looked at. A job tells of its start and of its end, with the
final state of every step.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from uuid import uuid4

from corral.engine import Engine
from corral.model.records import Grant, Json
from tests.bench.databases import made_engine
from tests.bench.report import Check
from tests.bench.scale.records import History, Retention, Table, Window
from tests.bench.scale.tally import percentiles
from tests.bench.scale.usage import read_usage
from tests.engine.load import analyze

CLIENTS: Final = 4
_NODES: Final = 8
_DEVICES: Final = 125
_BATCH: Final = _DEVICES
EVENTS_PER_JOB: Final = 2
_STEPS: Final = 3
_WINDOWS: Final = 10
_ENDS: Final = [
    {"step": f"step_{n}", "position": n, "total": _STEPS, "action": "device.shell", "status": "succeeded", "attempt": 1}
    for n in range(1, _STEPS + 1)
]
MOST_TIMES: Final = 1.5

_SIZES: Final = """
select c.relname as name, pg_relation_size(c.oid) as heap_bytes, pg_indexes_size(c.oid) as index_bytes,
       s.n_live_tup as rows, s.n_dead_tup as dead_rows
  from pg_class c join pg_stat_user_tables s on s.relid = c.oid
 where s.schemaname = 'corral' and pg_total_relation_size(c.oid) > 1024 * 1024
 order by pg_total_relation_size(c.oid) desc
"""
_DATABASE_SIZE: Final = "select pg_database_size(current_database())"


async def measure_history(dsn: str, *, jobs: int, retention_jobs: int, most_s: float) -> History:
    """So many jobs from an empty database on, or as many as fit into the time; then forget the older half, and do
    `retention_jobs` more.
    """
    until = time.perf_counter() + most_s
    async with made_engine(dsn, "history", max_connections=CLIENTS + 1) as engine:
        filler = Filler(engine)
        await filler.start()
        windows = []
        for number in range(1, _WINDOWS + 1):
            if time.perf_counter() > until:
                print(f"  no more jobs: {most_s / 60:.0f} minutes are over", flush=True)
                break
            windows.append(await filler.fill(jobs // _WINDOWS))
            _tell(number * (jobs // _WINDOWS), windows[-1])
        before = await _sizes(engine)
        size: int = await engine.database.fetch_value(_DATABASE_SIZE)
        await _rewrite(engine)
        fresh_size: int = await engine.database.fetch_value(_DATABASE_SIZE)
        fresh = {row["name"]: row for row in await engine.database.fetch(_SIZES)}
        tables = [
            Table(
                **row,
                fresh_heap_bytes=fresh[row["name"]]["heap_bytes"] if row["name"] in fresh else 0,
                fresh_index_bytes=fresh[row["name"]]["index_bytes"] if row["name"] in fresh else 0,
            )
            for row in before
        ]
        return History(
            jobs=sum(window.jobs for window in windows),
            clients=CLIENTS,
            steps=_STEPS,
            events_per_job=EVENTS_PER_JOB,
            windows=windows,
            tables=tables,
            database_bytes=size,
            fresh_database_bytes=fresh_size,
            retention=await _measure_retention(filler, jobs=retention_jobs),
        )


class Filler:
    """Nodes that do jobs as fast as the engine gives them, a batch at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._budget = asyncio.Semaphore(CLIENTS)
        self._pulls: list[float] = []
        self._callbacks: list[float] = []

    @property
    def engine(self) -> Engine:
        return self._engine

    async def start(self) -> None:
        nodes = self._engine.nodes
        for node_id in _node_ids():
            registration = await nodes.register_node(node_id, max_concurrency=2 * _BATCH, lookahead=0)
            assert registration.epoch == 1
            devices = [{"serial": f"{node_id}-{number}"} for number in range(_DEVICES)]
            await nodes.report_devices(node_id, epoch=1, devices=devices, is_complete=True)

    async def fill(self, jobs: int) -> Window:
        """Create runs on all devices until there are so many jobs, and do them all."""
        runs = max(1, jobs // (_NODES * _DEVICES))
        self._pulls, self._callbacks = [], []
        before = await read_usage(self._engine)
        started_at = time.perf_counter()
        workflow = await self._engine.workflows.create_workflow(
            "history", {"name": "history", "steps": [{"id": f"step_{n}", "uses": "device.shell"} for n in range(1, 4)]}
        )
        queue = asyncio.Queue[None](maxsize=1)
        making = asyncio.create_task(self._make_runs(workflow.workflow_id, runs, queue))
        done = 0
        for _ in range(runs):
            await queue.get()
            done += sum(await asyncio.gather(*(self._work(node_id) for node_id in _node_ids())))
        await making
        used = (await read_usage(self._engine)).since(before)
        return Window(
            jobs=done,
            seconds=round(time.perf_counter() - started_at, 2),
            postgres_s=round(used.postgres_s, 2),
            pull=percentiles(self._pulls),
            callback=percentiles(self._callbacks),
            wal_bytes=used.wal_bytes,
        )

    async def _make_runs(self, workflow_id: object, runs: int, queue: "asyncio.Queue[None]") -> None:
        for _ in range(runs):
            await self._engine.runs.create_run(workflow_id, {"target": {"all": True}})  # type: ignore[arg-type]
            await queue.put(None)

    async def _work(self, node_id: str) -> int:
        """One job on each device of the node."""
        async with self._budget:
            return await self._work_now(node_id)

    async def _work_now(self, node_id: str) -> int:
        with _timed(self._pulls):
            grants = await self._engine.nodes.pull_job(node_id, epoch=1, want=_BATCH, request_id=uuid4())
        started = [_event(grant, 1, "job_started", total=_STEPS) for grant in grants]
        ended = [_event(grant, 2, "job_finished", outcome="succeeded", total=_STEPS, steps=_ENDS) for grant in grants]
        for events in (started, ended):
            with _timed(self._callbacks):
                results = await self._engine.events.apply_node_events(node_id, events)
            if any(result.outcome != "applied" for result in results):
                raise RuntimeError(f"not every event was applied: {results[:3]}")
        return len(grants)


async def _measure_retention(filler: Filler, *, jobs: int) -> Retention:
    """Forget what ended in the first half of the time; then go on working where it was."""
    engine = filler.engine
    before: int = await engine.database.fetch_value(_DATABASE_SIZE)
    age = timedelta(
        seconds=await engine.database.fetch_value(
            "select extract(epoch from corral.fn_now() - (min(finished_at) + (max(finished_at) - min(finished_at)) / 2))"
            "::double precision from corral.runs"
        )
    )
    started_at = time.perf_counter()
    forgotten = await engine.upkeep.purge_runs(age)
    runs_s = time.perf_counter() - started_at
    started_at = time.perf_counter()
    events = await engine.upkeep.purge_events(age)
    events_s = time.perf_counter() - started_at
    await analyze(engine)
    after: int = await engine.database.fetch_value(_DATABASE_SIZE)
    print(f"  forgot {forgotten:,} jobs in {runs_s:.0f} s, {events:,} events in {events_s:.0f} s", flush=True)
    more = await filler.fill(jobs)
    return Retention(
        jobs=forgotten,
        runs_s=round(runs_s, 1),
        events=events,
        events_s=round(events_s, 1),
        bytes_before=before,
        bytes_after=after,
        jobs_after=more.jobs,
        bytes_after_jobs=await engine.database.fetch_value(_DATABASE_SIZE),
    )


async def _sizes(engine: Engine) -> list[Json]:
    """After autovacuum's next turn, or so: statistics are told late."""
    await asyncio.sleep(1.0)
    return [dict(row) for row in await engine.database.fetch(_SIZES)]


async def _rewrite(engine: Engine) -> None:
    async with engine.database.own_connection() as connection:
        await connection.execute("vacuum full")


def _node_ids() -> list[str]:
    return [f"node-{number}" for number in range(_NODES)]


def _event(grant: Grant, seq: int, kind: str, **fields: object) -> Json:
    lease = {"job_id": str(grant.job_id), "lease_token": str(grant.lease_token)}
    return {"event_id": str(uuid4()), **lease, "seq": seq, "type": kind, **fields}


@contextmanager
def _timed(times: list[float]) -> Iterator[None]:
    started_at = time.perf_counter()
    yield
    times.append(time.perf_counter() - started_at)


def _tell(jobs: int, window: Window) -> None:
    print(
        f"  {jobs:,} jobs: {window.jobs / window.seconds:,.0f} jobs/s, PostgreSQL {window.postgres_s / window.jobs * 1000:.2f} ms"
        f" a job; pull {window.pull.p50_ms:.1f} ms, callback {window.callback.p50_ms:.1f} ms",
        flush=True,
    )


def check_history(history: History) -> list[Check]:
    """That the last jobs cost what the first ones did."""
    first, last = history.windows[0], history.windows[-1]
    times = (last.postgres_s / last.jobs) / (first.postgres_s / first.jobs)
    return [
        Check(
            name=f"PostgreSQL's part in a job after {history.jobs:,} jobs, against an empty database",
            found=f"{times:.2f} x",
            target=f"<= {MOST_TIMES} x",
            is_kept=times <= MOST_TIMES,
        )
    ]
