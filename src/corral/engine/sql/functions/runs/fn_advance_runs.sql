-- Move runs on: those in p_started whose first job starts become running; those in p_ended whose jobs have all ended end.
-- Called once, last, by whatever moves jobs, and by upkeep for all open runs.
-- Two last jobs that end at the same moment cannot both miss it: near a run's end, when next to nothing of it waits, each of them
-- takes the run's lock before it looks, so the later one sees the earlier one's commit. Far from the end nobody waits for that lock.
-- A run that ends is told to webhooks (fn_notify_runs) in the same transaction, and so do its shared tests: one with a test that no
-- phone gave a verdict on did not succeed, whatever its jobs say.
-- Locks the runs in key order, then the sessions that they were. Returns the number of runs ended.
create or replace function corral.fn_advance_runs(p_started uuid[], p_ended uuid[]) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = on
as $$
declare
    c_near   constant integer := 50;
    v_runs   uuid[];
    v_ended  uuid[];
    v_bad    uuid[];
begin
    select array_agg(r.run_id)
      into v_runs
      from runs r
     where (r.run_id = any (p_started) and r.status = 'queued')
        or (r.run_id = any (p_ended) and r.finished_at is null and r.fanned_out_at is not null
            and (r.cancel_requested_at is not null
                 or r.total_jobs - c_near <= (select coalesce(sum(v.leased + v.succeeded + v.failed + v.cancelled + v.skipped_offline), 0)
                                                from run_versions v where v.run_id = r.run_id)));
    if v_runs is null then
        return 0;
    end if;
    perform 1 from runs r where r.run_id = any (v_runs) order by r.run_id for no key update;
    update runs r
       set status = 'running', started_at = fn_now()
     where r.run_id = any (v_runs) and r.run_id = any (p_started) and r.status = 'queued';

    with counted as (
        select r.run_id, r.total_jobs, r.cancel_requested_at,
               coalesce(sum(v.succeeded), 0) as succeeded, coalesce(sum(v.failed), 0) as failed,
               coalesce(sum(v.cancelled), 0) as cancelled, coalesce(sum(v.skipped_offline), 0) as skipped
          from runs r left join run_versions v on v.run_id = r.run_id
         where r.run_id = any (v_runs) and r.run_id = any (p_ended) and r.finished_at is null and r.fanned_out_at is not null
         group by r.run_id
    ), ended as (
    update runs r
       set finished_at = fn_now(),
           started_at = coalesce(r.started_at, fn_now()),
           status = case when c.cancelled > 0 or (c.total_jobs = 0 and c.cancel_requested_at is not null) then 'cancelled'
                         when c.failed > 0 and c.succeeded > 0 then 'completed_with_errors'
                         when c.failed > 0 then 'failed'
                         when c.succeeded > 0 then 'succeeded'
                         else 'skipped' end
      from counted c
     where r.run_id = c.run_id
       and c.succeeded + c.failed + c.cancelled + c.skipped = c.total_jobs
       and not exists (select 1 from jobs j where j.run_id = r.run_id and j.finished_at is null)
    returning r.run_id
    )
    select array_agg(e.run_id) into v_ended from ended e;
    if v_ended is null then
        return 0;
    end if;
    perform fn_close_device_sessions(v_ended);
    v_bad := fn_close_tests(v_ended);
    if v_bad <> '{}' then
        update runs r set status = 'completed_with_errors' where r.run_id = any (v_bad) and r.status = 'succeeded';
    end if;
    perform fn_notify_runs(v_ended);
    return cardinality(v_ended);
end $$;
