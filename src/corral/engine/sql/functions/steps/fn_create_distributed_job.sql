-- The one job of a distributed run, with these steps (see fn_add_steps), or with none yet. Called by fn_create_run. Locks the run,
-- newly made. Raises CR002 invalid_request, CR003 conflict with the path of a step that makes no sense.
create or replace function corral.fn_create_distributed_job(p_run corral.runs, p_steps jsonb, p_log_path text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job  uuid := fn_uuid7();
begin
    insert into jobs (job_id, run_id, mode, position, priority, is_waiting, is_gated, max_attempts, timeout, input, log_path, queued_at)
    values (v_job, p_run.run_id, 'distributed', nextval('corral.job_position'), p_run.priority, false,
            exists (select 1 from run_gates g where g.run_id = p_run.run_id), p_run.max_attempts, p_run.job_timeout, p_run.params,
            p_log_path, fn_now());
    update runs r set total_jobs = 1, fanned_out_at = fn_now() where r.run_id = p_run.run_id;
    if p_steps is not null then
        perform fn_add_steps(v_job, p_steps);
    end if;
    return v_job;
end $$;
