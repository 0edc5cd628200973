"""That nothing which a node had to tell was lost, counted twice or misunderstood."""

import asyncio
import sqlite3
from collections import Counter
from pathlib import Path

from tests.node.rig import Desk

JOBS = """
    select j.job_id, array_agg(e.seq) as seqs,
           count(*) filter (where e.type = 'job_finished' and e.outcome = 'applied'
                              and e.payload ->> 'outcome' <> 'interrupted') as ends,
           count(*) filter (where e.type = 'step_finished' and e.outcome = 'applied') as told,
           (select count(*) from corral.job_steps s where s.job_id = j.job_id and s.status in ('succeeded', 'failed')) as steps
      from corral.jobs j join corral.node_events e on e.job_id = j.job_id and e.seq is not null
     where j.finished_at is not null
     group by j.job_id
"""


async def until_told(desk: Desk) -> None:
    """Return once the node's spool is empty."""
    while await asyncio.to_thread(count_rows, desk.state, "events"):  # noqa: ASYNC110 - another process's file
        await asyncio.sleep(0.05)


async def check_told(desk: Desk, *, jobs: int) -> None:
    """Of so many jobs all events came, each counted once, and the farm's books agree with each other."""
    await until_told(desk)
    assert await asyncio.to_thread(count_rows, desk.state, "refused") == 0
    rows = await desk.query(JOBS)
    assert len(rows) == jobs
    for row in rows:
        # A lease's events are numbered from 1: of those that got to n + 1, none lacks n.
        seen = Counter(row["seqs"])
        assert all(seen[number] >= seen[number + 1] for number in range(1, max(seen))), dict(row)
        assert row["ends"] == 1, dict(row)
        assert row["told"] == row["steps"], dict(row)
    assert await desk.query("select * from corral.fn_check_invariants()") == []


def count_rows(state: Path, table: str) -> int:
    """How many rows a table of the node's spool has."""
    connection = sqlite3.connect(f"file:{state / 'spool' / 'spool.sqlite'}?mode=ro", uri=True)
    try:
        (count,) = connection.execute(f"select count(*) from {table}").fetchone()
    finally:
        connection.close()
    return int(count)
