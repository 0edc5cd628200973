-- The tiles of a run's devices by their numbers, as JSON in text; how many jobs do what; and the jobs that moved last. Counts are of
-- jobs: those of a pool that have no device yet, and the one of a distributed run, are counted and have no tile.
-- Called by fn_get_monitor. Reads each job of the run once. Writing the tiles is most of the cost, so they are formatted rather
-- than built as JSON, which takes twice as long; only what a node may have said freely is escaped: ids and serials need it not.
create or replace function corral.fn_get_heatmap(p_run_id uuid, out tiles text, out counts json, out recent_jobs uuid[])
language sql stable
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
    with plan as materialized (
        select case jsonb_typeof(w.recipe -> 'steps') when 'array' then jsonb_array_length(w.recipe -> 'steps') else 0 end as steps
          from runs r join workflows w on w.workflow_id = r.workflow_id where r.run_id = p_run_id
    ), seen as materialized (
        select n.node_id, n.lease_until >= fn_now() as is_alive, n.last_heartbeat_at,
               to_json(n.last_heartbeat_at)::text as last_heartbeat
          from nodes n
    ), told as materialized (
        select j.job_id, j.device_id, d.index_no, d.serial, d.node_id as on_node_id, j.node_id, j.status,
               d.connection = 'connected' as is_connected, s.is_alive, s.last_heartbeat,
               case when d.connection <> 'connected' then to_json(least(d.unavailable_since, s.last_heartbeat_at))::text end as gone_since,
               case j.status when 'running' then 'running' when 'succeeded' then 'done' when 'failed' then 'error'
                             when 'skipped_offline' then 'offline' when 'cancelled' then 'cancelled' else 'waiting' end as activity,
               j.steps_done, coalesce(nullif(j.steps_total, 0), p.steps) as steps_total, j.current_step, j.attempt, j.error_message,
               coalesce(j.finished_at, j.started_at, j.leased_at, j.queued_at) as moved_at
          from plan p
         cross join jobs j
          left join devices d on d.device_id = j.device_id
          left join seen s on s.node_id = d.node_id
         where j.run_id = p_run_id
    )
    select (select '[' || coalesce(string_agg(format(
                       '{"index":%s,"device_id":"%s","serial":"%s","node_id":"%s","online":%s,"activity":"%s","progress":'
                       '{"current":%s,"total":%s,"step":%s},"attempt":%s,"last_seen":%s,"last_error_message":%s}',
                       t.index_no, t.device_id, t.serial, coalesce(case when t.status <> 'queued' then t.node_id end, t.on_node_id),
                       case when t.is_connected and t.is_alive then 'true' else 'false' end, t.activity,
                       case t.status when 'succeeded' then t.steps_total else t.steps_done end, t.steps_total, coalesce(to_json(t.current_step)::text, 'null'), t.attempt,
                       coalesce(t.gone_since, t.last_heartbeat, 'null'), coalesce(to_json(t.error_message)::text, 'null')),
                       ',' order by t.index_no), '') || ']'
              from told t where t.index_no is not null),
           (select json_build_object(
                       'total', count(*), 'waiting', count(*) filter (where t.activity = 'waiting'),
                       'running', count(*) filter (where t.activity = 'running'),
                       'done', count(*) filter (where t.activity = 'done'), 'error', count(*) filter (where t.activity = 'error'),
                       'offline', count(*) filter (where t.activity = 'offline'),
                       'cancelled', count(*) filter (where t.activity = 'cancelled'))
              from told t),
           array(select t.job_id from told t order by t.moved_at desc, t.job_id limit 50)
$$;
