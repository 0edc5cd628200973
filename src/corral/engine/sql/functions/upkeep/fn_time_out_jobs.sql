-- Fail a distributed job that has taken longer than its timeout, counted from when its first step started: open steps are cancelled,
-- and the workers of running ones hear of it by their next heartbeat. Chains are not meant: they last as long as their owner likes. A
-- cancelled run ends by its steps. Called by upkeep until it returns 0: one job a transaction, so that no job is locked
-- after a run. Reads the open runs. Locks what fn_end_job locks. Returns the number of jobs failed.
create or replace function corral.fn_time_out_jobs() returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job  jobs;
begin
    if not fn_verdicts_are_open() then
        return 0;
    end if;
    select j.* into v_job
      from runs r join jobs j on j.run_id = r.run_id
     where r.finished_at is null and r.mode = 'distributed' and coalesce(r.source_type, '') <> 'channel' and r.cancel_requested_at is null
       and j.mode = 'distributed' and j.finished_at is null and not j.is_open and j.open_steps > 0
       and j.started_at + j.timeout < fn_now()
     order by j.started_at
     limit 1
       for no key update of j skip locked;
    if v_job.job_id is null then
        return 0;
    end if;
    perform fn_end_job(v_job.job_id, 'failed', null, 'job_timeout',
                       format('the job took longer than %s s', extract(epoch from v_job.timeout)::double precision));
    return 1;
end $$;
