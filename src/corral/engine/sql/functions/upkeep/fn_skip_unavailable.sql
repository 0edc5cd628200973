-- End the waiting of jobs at the head of lanes where no work can start: skipped_offline where the run says so and the device has
-- been offline or quarantined, or its node silent, for offline_grace; failed (wait_timeout) after the run's wait_timeout
-- otherwise (rule 5). Then the lane's next job becomes its head, and is looked at in the next round.
-- Called by upkeep until it returns 0. Locks lanes in key order, then jobs and so on. Returns the number of jobs ended.
create or replace function corral.fn_skip_unavailable(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_grace    interval := (select s.offline_grace from settings s);
    v_devices  uuid[];
    v_changes  job_change[];
begin
    if not fn_verdicts_are_open() then
        return 0;
    end if;
    select array_agg(w.device_id) into v_devices
      from (select w.device_id from waiting_lanes w
             where w.unavailable_since is not null
               and ((w.skip_offline and w.offline_since <= v_now - v_grace)
                    or greatest(w.unavailable_since, w.queued_at) <= v_now - w.wait_timeout)
             order by w.device_id
             limit coalesce(p_limit, 1000)) w;
    if v_devices is null then
        return 0;
    end if;
    perform fn_lock_lanes(v_devices);
    select array_agg(row(w.job_id, case when w.skip_offline and w.is_offline then 'skipped_offline' else 'failed' end, null,
                         'wait_timeout', w.why, null, null)::job_change)
      into v_changes
      from waiting_lanes w
     where w.device_id = any (v_devices) and w.unavailable_since is not null
       and ((w.skip_offline and w.offline_since <= v_now - v_grace)
            or greatest(w.unavailable_since, w.queued_at) <= v_now - w.wait_timeout);
    perform fn_lock_jobs(array(select c.job_id from unnest(v_changes) c));
    return fn_conclude_jobs(v_changes);
end $$;
