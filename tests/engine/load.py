"""Big farms in seconds: rows as the engine would have written them, made by the server itself."""

from corral.engine import Engine

_LOAD_FARM = """
with made_nodes as (
    insert into corral.nodes (node_id, name, epoch, lease_until, registered_at, last_heartbeat_at)
    select format('node-%s', n), format('node-%s', n), 1,
           corral.fn_now() + interval '1 day', corral.fn_now(), corral.fn_now()
      from generate_series(1, $1::integer) n
    returning node_id
), made_devices as (
    insert into corral.devices (device_id, node_id, serial, index_no, first_seen_at, changed_at)
    select gen_random_uuid(), format('node-%s', n), format('node-%s-%s', n, d),
           (select coalesce(max(o.index_no), 0) from corral.devices o) + (n - 1) * $2::integer + d,
           corral.fn_now(), corral.fn_now()
      from generate_series(1, $1::integer) n, generate_series(1, $2::integer) d
    returning device_id, node_id
)
insert into corral.lanes (device_id, node_id, is_available)
select d.device_id, d.node_id, true from made_devices d
"""

_LOAD_RUNS = """
insert into corral.runs (run_id, workflow_id, name, mode, target, seed, status, total_jobs, fanned_out_at, created_at)
select corral.fn_uuid7(), $1, format('load-%s', n), 'device', '{"all": true}', 'seed', 'queued',
       (select count(*) from corral.devices), corral.fn_now(), corral.fn_now()
  from generate_series(1, $2::integer) n
returning run_id
"""

_LOAD_JOBS = """
insert into corral.jobs (job_id, run_id, device_id, position, timeout, queued_at)
select gen_random_uuid(), r.run_id, d.device_id, nextval('corral.job_position'), interval '10 minutes', corral.fn_now()
  from unnest($1::uuid[]) with ordinality as r (run_id, place), corral.devices d
 order by r.place, d.index_no
"""

_SETTLE = "select corral.fn_settle_lanes(array(select device_id from corral.lanes))"


async def load_farm(engine: Engine, *, nodes: int, devices_per_node: int) -> None:
    """Register `node-1` … and their devices, in epoch 1, with nothing to do."""
    await engine.database.fetch(_LOAD_FARM, nodes, devices_per_node)


async def load_runs(engine: Engine, runs: int) -> None:
    """Queue this many runs on every device: one more job a device for each."""
    workflow = await engine.workflows.create_workflow("load", {"name": "load", "steps": []})
    rows = await engine.database.fetch(_LOAD_RUNS, workflow.workflow_id, runs)
    await engine.database.fetch(
        "insert into corral.run_versions (run_id, stripe) select unnest($1::uuid[]), 0", [row["run_id"] for row in rows]
    )
    for start in range(0, len(rows), 10):  # in pieces that stay far from the gateway's timeout
        await engine.database.fetch(_LOAD_JOBS, [row["run_id"] for row in rows[start : start + 10]])
    await engine.database.fetch(_SETTLE)


async def analyze(engine: Engine) -> None:
    """Refresh the statistics, as autovacuum would some time after a load."""
    async with engine.database.own_connection() as connection:
        await connection.execute("vacuum analyze")
