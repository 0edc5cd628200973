-- How long a job of this run may be expected to take: the average of up to 100 of its jobs that succeeded, else of what succeeded on
-- the farm in the last day, else null. Called by fn_explain_run. Its cost follows the run, not the farm's history.
create or replace function corral.fn_typical_duration(p_run_id uuid) returns interval
language sql stable
set search_path = corral, pg_catalog
as $$
    select coalesce(
        (select avg(o.finished_at - o.started_at)
           from (select j.started_at, j.finished_at from jobs j
                  where j.run_id = p_run_id and j.status = 'succeeded' and j.started_at is not null limit 100) o),
        (select make_interval(secs => sum(s.jobs * power(2, s.duration_bucket / 4.0)) / sum(s.jobs))
           from hourly_stats s
          where s.hour >= date_trunc('hour', fn_now() - interval '1 day') and s.outcome = 'succeeded'))
$$;
