-- End the waiting of jobs at the head of lanes where no work can start (rule 5), as waiting_lanes judges them: skipped_offline where the
-- run says so and the device has been offline or quarantined, or its node silent, for offline_grace; failed (node_lost) after
-- lost_grace where it had been leased before; failed (wait_timeout) after the run's wait_timeout otherwise. Then the lane's next job
-- becomes its head, and is looked at in the next round.
-- Called by upkeep until it returns 0. Locks lanes in key order, then jobs and so on. Returns the number of jobs ended.
create or replace function corral.fn_skip_unavailable(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_devices  uuid[];
    v_changes  job_change[];
begin
    if not fn_verdicts_are_open() then
        return 0;
    end if;
    v_devices := array(select w.device_id from waiting_lanes w where w.verdict is not null
                        order by w.device_id limit coalesce(p_limit, 1000));
    if v_devices = '{}' then
        return 0;
    end if;
    perform fn_lock_lanes(v_devices);
    v_changes := array(
        select row(w.job_id, case when w.verdict = 'skipped_offline' then w.verdict else 'failed' end, null, w.verdict, w.why,
                   null, null)::job_change
          from waiting_lanes w
         where w.device_id = any (v_devices) and w.verdict is not null);
    perform fn_lock_jobs(array(select c.job_id from unnest(v_changes) c));
    return fn_conclude_jobs(v_changes);
end $$;
