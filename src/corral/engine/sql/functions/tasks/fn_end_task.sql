-- Complete or fail a task by its agent's word: only one in progress moves, and only by whom it was given to. A task that ended that way
-- already is left as it is, its times included. Locks the job, then what fn_conclude_jobs locks.
-- Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_end_task(
    p_node_id text, p_job_id uuid, p_step text, p_status text, p_output jsonb, p_error_message text)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_task     job_steps;
    v_effects  job_effects;
begin
    perform fn_lock_jobs(array[p_job_id]);
    select s.* into v_task from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.name = p_step;
    if v_task.job_id is null then
        raise exception 'no task % in chain %', p_step, p_job_id using errcode = 'CR001', detail = 'task_id';
    elsif v_task.status = p_status and v_task.lease_owner is not distinct from p_node_id then
        return;
    elsif v_task.status <> 'running' or v_task.lease_owner <> p_node_id then
        raise exception 'task % is %, given to %', p_step, v_task.status, coalesce(v_task.lease_owner, 'nobody')
              using errcode = 'CR003', detail = 'task_id';
    end if;
    v_effects := fn_conclude_steps(array[row(p_job_id, p_step, p_status, 'finished', null, 'action_failed', p_error_message, p_output,
                                             null, null, null, true)::step_change]);
    perform fn_conclude_jobs(v_effects.changes, v_effects.news);
end $$;
