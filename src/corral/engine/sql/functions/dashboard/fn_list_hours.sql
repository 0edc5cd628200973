-- One entry per hour since then, empty hours included, oldest first, as JSON: runs that were asked for, and jobs by how they ended.
-- Called by fn_get_dashboard. Reads hourly statistics and the runs of the window.
create or replace function corral.fn_list_hours(p_since timestamptz) returns json
language sql stable
set search_path = corral, pg_catalog
as $$
    with ended as (
        select s.hour, sum(s.jobs) filter (where s.outcome = 'succeeded') as succeeded,
               sum(s.jobs) filter (where s.outcome not in ('succeeded', 'cancelled', 'skipped_offline')) as failed,
               sum(s.jobs) filter (where s.outcome = 'cancelled') as cancelled,
               sum(s.jobs) filter (where s.outcome = 'skipped_offline') as skipped_offline
          from hourly_stats s where s.hour >= date_trunc('hour', p_since) group by 1
    ), asked as (
        select date_trunc('hour', r.created_at) as hour, count(*) as runs
          from runs r
         where r.created_at >= date_trunc('hour', p_since) and r.source_type is distinct from 'session' group by 1
    )
    select json_agg(json_build_object(
               'hour', h.hour, 'runs_started', coalesce(a.runs, 0), 'succeeded', coalesce(e.succeeded, 0), 'failed', coalesce(e.failed, 0),
               'cancelled', coalesce(e.cancelled, 0), 'skipped_offline', coalesce(e.skipped_offline, 0)) order by h.hour)
      from generate_series(date_trunc('hour', p_since), date_trunc('hour', fn_now()), interval '1 hour') as h (hour)
      left join ended e on e.hour = h.hour
      left join asked a on a.hour = h.hour
$$;
