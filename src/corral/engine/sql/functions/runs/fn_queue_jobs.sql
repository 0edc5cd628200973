-- Put one job of a run at the tail of each of these devices' FIFOs; an idle lane gets it as its head, and so does one whose
-- waiting head has a lower priority. A device that has a job of this run already (it changed its number during the fan-out) gets no
-- second one. Called by fn_fan_out_run. Locks lanes in key order. Returns how many jobs were made.
create or replace function corral.fn_queue_jobs(p_run corral.runs, p_is_gated boolean, p_device_ids uuid[]) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_made  integer;
begin
    perform fn_lock_lanes(p_device_ids);
    with made as (
        insert into jobs (job_id, run_id, device_id, position, priority, is_gated, max_attempts, timeout, queued_at)
        select fn_uuid7(), p_run.run_id, u.device_id, nextval('corral.job_position'), p_run.priority, p_is_gated,
               p_run.max_attempts, p_run.job_timeout, fn_now()
          from unnest(p_device_ids) with ordinality as u (device_id, place)
         order by u.place
        on conflict (run_id, device_id) do nothing
        returning job_id, device_id, position
    ), headed as (
    update lanes l
       set job_id = h.job_id, head_priority = p_run.priority, ticket = nextval('corral.lane_ticket'),
           gate_run_id = case when p_is_gated then p_run.run_id end
      from (select m.job_id, m.device_id from made m order by m.position) h
     where l.device_id = h.device_id and l.lease_token is null
       and (l.ticket is null or l.head_priority < p_run.priority)
    )
    select count(*) into v_made from made;
    return v_made;
end $$;
