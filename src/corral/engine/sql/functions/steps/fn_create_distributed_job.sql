-- The one job of a distributed run; its steps are made by fn_create_steps. Called by fn_create_run. Locks the run, newly made.
create or replace function corral.fn_create_distributed_job(p_run corral.runs) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job  uuid := fn_uuid7();
begin
    insert into jobs (job_id, run_id, mode, position, priority, is_waiting, max_attempts, timeout, input, queued_at)
    values (v_job, p_run.run_id, 'distributed', nextval('corral.job_position'), p_run.priority, false, p_run.max_attempts,
            p_run.job_timeout, p_run.params, fn_now());
    update runs r set total_jobs = 1, fanned_out_at = fn_now() where r.run_id = p_run.run_id;
    return v_job;
end $$;
