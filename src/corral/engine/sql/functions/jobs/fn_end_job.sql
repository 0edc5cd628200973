-- End a distributed job by its orchestrator's word. It succeeds only when no step is open; failing it cancels what is open, running
-- steps included: their late words are stale. A job with steps ends by itself with the last of them, so saying the same again is
-- safe. Locks the job, its steps in key order, then what fn_conclude_jobs locks. Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_end_job(
    p_job_id uuid, p_status text, p_output jsonb, p_failure_reason text, p_error_message text)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job  jobs;
begin
    select j.* into v_job from jobs j where j.job_id = p_job_id for no key update;
    if v_job.job_id is null then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    elsif v_job.status = p_status then
        return;
    elsif v_job.mode <> 'distributed' or v_job.finished_at is not null then
        raise exception 'job % is %: it cannot become %', p_job_id, v_job.status, p_status using errcode = 'CR003';
    elsif p_status = 'succeeded' and v_job.open_steps > 0 then
        raise exception 'job % has % open steps', p_job_id, v_job.open_steps using errcode = 'CR003';
    end if;

    perform 1 from job_steps s where s.job_id = p_job_id and s.finished_at is null order by s.name for no key update;
    perform fn_record_step_leases(array_agg(s.job_id), array_agg(s.lease_owner), array_agg(s.lease_token))
       from job_steps s where s.job_id = p_job_id and s.status = 'running' and s.lease_token is not null;
    with gone as (
        update job_steps s
           set status = 'cancelled', skip_cause = 'stopped', finished_at = fn_now()
         where s.job_id = p_job_id and s.finished_at is null
        returning s.lease_token
    ), closed as (
        update leases l set ended_at = fn_now(), ending = 'released'
          from gone g where l.job_id = p_job_id and l.lease_token = g.lease_token and l.ended_at is null
    )
    update jobs j set open_steps = 0, steps_done = j.steps_total, is_open = false where j.job_id = p_job_id;
    perform fn_conclude_jobs(array[row(p_job_id, p_status, 'finished', fn_known_reason(p_failure_reason), p_error_message, p_output,
                                       null)::job_change]);
end $$;
