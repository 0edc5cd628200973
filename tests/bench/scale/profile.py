"""Which SQL functions take the time, by PostgreSQL's own count (track_functions)."""

from typing import Final

from corral.engine import Engine

_TOP: Final = """
select funcname, calls, self_time, total_time from pg_stat_user_functions
 where schemaname = 'corral' order by self_time desc limit 25
"""


async def print_profile(engine: Engine, name: str) -> None:
    """The functions that took most of it since this was last asked."""
    rows = await engine.database.fetch(_TOP)
    whole = sum(row["self_time"] for row in rows) or 1.0
    print(f"    {name}: calls, of itself in ms, with what it calls in ms", flush=True)
    for row in rows:
        share = row["self_time"] / whole
        print(
            f"      {row['funcname']:32} {row['calls']:9,} {row['self_time']:9,.0f} {row['total_time']:9,.0f} {share:5.0%}"
        )
    await engine.database.fetch("select pg_stat_reset()")
