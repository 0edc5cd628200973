-- Complete or fail a task by its agent's word: only one in progress moves, and only by whom it was given to. A task that ended that way
-- already is left as it is, its times included; one that was skipped or cancelled has failed, to the door. A failure ends the chain. Locks the job, then what fn_conclude_jobs locks.
-- Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_end_task(p_agent_id text, p_task_id uuid, p_status text, p_error_message text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_task     tasks;
    v_step     job_steps;
    v_effects  job_effects;
begin
    select t.* into v_task from tasks t where t.task_id = p_task_id;
    perform fn_lock_jobs(array[v_task.chain_id]);
    select s.* into v_step from job_steps s where s.job_id = v_task.chain_id and s.job_attempt = 1 and s.name = v_task.step;
    if v_step.job_id is null then
        raise exception 'no task %', p_task_id using errcode = 'CR001', detail = 'task_id';
    elsif v_step.lease_owner is distinct from fn_agent_owner(p_agent_id) and v_step.status not in ('pending', 'ready')
          and v_step.granted_at is not null then
        raise exception 'the task is %''s', coalesce(fn_agent_of(v_step.lease_owner), 'nobody') using errcode = 'CR003', detail = 'agent_id';
    elsif v_step.status = p_status or (p_status = 'failed' and v_step.status in ('skipped', 'cancelled')) then
        return;
    elsif v_step.status <> 'running' then
        raise exception 'the task is not in progress' using errcode = 'CR003', detail = 'task_id';
    end if;
    update jobs j set is_open = j.is_open and p_status <> 'failed' where j.job_id = v_task.chain_id;
    v_effects := fn_conclude_steps(array[row(v_task.chain_id, v_task.step, p_status, 'finished', null, 'action_failed', p_error_message,
                                             null, null, null, null, false)::step_change]);
    perform fn_conclude_jobs(v_effects.changes, v_effects.news);
    if p_status = 'failed' then
        perform fn_note_tasks(v_task.chain_id);
    else
        perform fn_note_changes('tasks', array[p_task_id::text]);
    end if;
end $$;
