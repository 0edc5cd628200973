"""What a call reads: sequential scans and rows by table, from the counters that PostgreSQL keeps of a transaction.

They count what nested functions do too, on every version, where EXPLAIN shows one statement. All calls of a test go through one
session (`engine.database.own_connection()`): what it planned early is what it uses late.
"""

from dataclasses import dataclass
from typing import TypeAlias

import asyncpg

from corral.engine.database import Row
from corral.model.records import Json

Session: TypeAlias = "asyncpg.Connection[Row]"

BIG_TABLES = (
    *("nodes", "devices", "lanes", "jobs", "job_steps", "leases", "node_events", "runs", "run_versions"),
    *("test_suites", "test_units", "test_phones", "test_results"),
)

_READS = """
select relname, seq_scan, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
  from pg_stat_xact_user_tables
 where schemaname = 'corral' and relname = any ($1::text[]) and seq_scan + coalesce(idx_scan, 0) > 0
"""


@dataclass(frozen=True)
class Reads:
    """One call: its rows, and what it read of the big tables."""

    rows: list[Row]
    seq_scans: dict[str, int]
    rows_read: dict[str, int]


async def reads_of(session: Session, query: str, *args: object) -> Reads:
    """Make a call and commit it; say what it read."""
    await session.execute("select pg_stat_force_next_flush()")  # else earlier transactions are counted in
    async with session.transaction():
        rows = await session.fetch(query, *args)
        reads = await session.fetch(_READS, list(BIG_TABLES))
    return Reads(
        rows=rows,
        seq_scans={read["relname"]: read["seq_scan"] for read in reads if read["seq_scan"]},
        rows_read={read["relname"]: read["rows"] for read in reads},
    )


async def reads_of_a_cycle(session: Session, node_id: str, *, epoch: int = 1) -> dict[str, Reads]:
    """What each hot call reads while a node pulls, starts, beats and finishes."""
    pull = await reads_of(session, "select * from corral.fn_pull_job($1, $2, 20, gen_random_uuid())", node_id, epoch)
    held = [row["lease_token"] for row in pull.rows]
    apply = "select * from corral.fn_apply_node_events($1)"
    step: Json = {"step": "tap", "status": "succeeded"}
    return {
        "pull": pull,
        "start": await reads_of(session, apply, _events(pull.rows, node_id, 1, "job_started")),
        "step": await reads_of(session, apply, _events(pull.rows, node_id, 2, "step_finished", **step)),
        "log": await reads_of(session, apply, _events(pull.rows, node_id, 3, "log", lines=[{"message": "hello"}])),
        "artifact": await reads_of(session, apply, _artifacts(pull.rows, node_id)),
        "beat": await reads_of(session, "select * from corral.fn_heartbeat($1, $2, $3)", node_id, epoch, held),
        "finish": await reads_of(
            session, apply, _events(pull.rows, node_id, 4, "job_finished", outcome="succeeded", steps=[step])
        ),
    }


def _events(grants: list[Row], node_id: str, seq: int, kind: str, **fields: object) -> list[Json]:
    return [
        {
            "node_id": node_id,
            "event_id": f"{seq:08x}{str(grant['lease_token'])[8:]}",
            "job_id": str(grant["job_id"]),
            "lease_token": str(grant["lease_token"]),
            "seq": seq,
            "type": kind,
            **fields,
        }
        for grant in grants
    ]


def _artifacts(grants: list[Row], node_id: str) -> list[Json]:
    name = "20260102T030405678Z-0123abcd.png"
    keys = [f"_/{node_id}/{grant['serial']}/{grant['run_id']}/{name}" for grant in grants]
    events = _events(grants, node_id, 5, "artifact_created")
    return [{**event, "key": key} for event, key in zip(events, keys, strict=True)]
