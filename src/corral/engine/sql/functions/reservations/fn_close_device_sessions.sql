-- Write down how sessions ended whose runs just did, without anybody having ended them: by the loss of the phone or of its node, by a
-- cancelled run, or because no phone was to be had. Called by fn_advance_runs, in the transaction that ends the runs, whose rows are locked.
-- Locks the sessions in key order.
create or replace function corral.fn_close_device_sessions(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_sessions  uuid[];
begin
    v_sessions := array(select s.session_id from device_sessions s
                         where s.run_id = any (p_run_ids) and s.ended_at is null order by s.session_id for no key update);
    if v_sessions = '{}' then
        return;
    end if;
    delete from session_inputs i where i.session_id = any (v_sessions);
    update device_sessions s
       set ended_at = fn_now(), ended_by = r.cancel_requested_by,
           end_reason = case
               when r.cancel_requested_at is not null
                    then case when r.cancel_requested_by = s.holder then 'released' else 'forced' end
               when j.failure_reason = 'node_lost' then 'node_lost'
               when j.failure_reason in ('job_timeout', 'step_timeout') then 'expired'
               when j.started_at is null then 'refused'
               else 'device_lost' end,
           end_message = case
               when r.cancel_requested_at is not null then 'its run was cancelled'
               when j.failure_reason in ('job_timeout', 'step_timeout') then 'a session lasts no longer than a day'
               when j.job_id is null then 'no such device'
               else coalesce(j.error_message, replace(j.failure_reason, '_', ' '), replace(j.status, '_', ' ')) end
      from runs r left join jobs j on j.run_id = r.run_id
     where r.run_id = s.run_id and r.run_id = any (p_run_ids) and s.session_id = any (v_sessions);
end $$;
