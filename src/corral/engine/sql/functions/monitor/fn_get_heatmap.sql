-- The tiles of a run's devices by their numbers, as JSON in text, and how many jobs do what. Counts are of jobs: those of a
-- pool that have no device yet, and the one of a distributed run, are counted and have no tile.
-- Called by fn_get_monitor. Reads each job of the run once. Writing the tiles is most of the cost, so they are formatted rather
-- than built as JSON, which takes twice as long; only what a node may have said freely is escaped: ids and serials need it not.
-- Statistics know nothing of a new run, and the planner would take it for one of a single job and compare each with every node:
-- hence no nested loops, and the devices by an array of their keys, so that the cost follows the run and not the farm.
create or replace function corral.fn_get_heatmap(p_run_id uuid, out tiles text, out counts json)
language sql stable
set search_path = corral, pg_catalog
set timezone = 'UTC' set enable_nestloop = off set enable_mergejoin = off
as $$
    with plan as materialized (
        select case jsonb_typeof(w.recipe -> 'steps') when 'array' then jsonb_array_length(w.recipe -> 'steps') else 0 end as steps
          from runs r join workflows w on w.workflow_id = r.workflow_id where r.run_id = p_run_id
    ), seen as materialized (
        select n.node_id, n.lease_until >= fn_now() as is_alive, n.last_heartbeat_at,
               to_json(n.last_heartbeat_at)::text as last_heartbeat
          from nodes n
    ), told as materialized (
        select j.device_id, j.node_id, j.status, j.steps_total, j.steps_done, j.current_step, j.attempt, j.error_message,
               j.failure_reason
          from jobs j where j.run_id = p_run_id
    )
    select '[' || coalesce(string_agg(format(
               '{"index":%s,"device_id":"%s","serial":"%s","node_id":"%s","online":%s,"activity":"%s","progress":'
               '{"current":%s,"total":%s,"step":%s},"attempt":%s,"last_seen":%s,"last_error_message":%s,"failure_reason":%s}',
               d.index_no, d.device_id, d.serial, case when j.node_id is null or j.status = 'queued' then d.node_id else j.node_id end,
               case when d.connection = 'connected' and s.is_alive then 'true' else 'false' end,
               case j.status when 'running' then 'running' when 'succeeded' then 'done' when 'failed' then 'error'
                             when 'skipped_offline' then 'offline' when 'cancelled' then 'cancelled' else 'waiting' end,
               case when j.status = 'succeeded' and j.steps_total = 0 then p.steps else j.steps_done end,
               case j.steps_total when 0 then p.steps else j.steps_total end,
               case when j.current_step is null then 'null' else to_json(j.current_step)::text end, j.attempt,
               case when d.connection = 'connected' then s.last_heartbeat
                    else to_json(least(d.unavailable_since, s.last_heartbeat_at))::text end,
               case when j.error_message is null then 'null' else to_json(j.error_message)::text end,
               case when j.failure_reason is null then 'null' else '"' || j.failure_reason || '"' end),
               ',' order by d.index_no) filter (where d.index_no is not null), '') || ']',
           json_build_object(
               'total', count(*), 'waiting', count(*) filter (where j.status in ('queued', 'leased')),
               'running', count(*) filter (where j.status = 'running'), 'done', count(*) filter (where j.status = 'succeeded'),
               'error', count(*) filter (where j.status = 'failed'), 'offline', count(*) filter (where j.status = 'skipped_offline'),
               'cancelled', count(*) filter (where j.status = 'cancelled'))
      from plan p
     cross join told j
      left join devices d on d.device_id = j.device_id and d.device_id = any (array(select t.device_id from told t))
      left join seen s on s.node_id = d.node_id
$$;
