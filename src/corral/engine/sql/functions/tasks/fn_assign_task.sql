-- Give a task that waits to an agent by hand, out of turn, a locked one too. A task that the agent has already is left as it is.
-- Locks the agent, the job and the task. Raises CR001 not_found, CR003 conflict (somebody else's, ended, or waiting for
-- the task before it; or a key of another task).
create or replace function corral.fn_assign_task(p_agent_id text, p_task_id uuid, p_idempotency_key text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_owner  text := fn_agent_owner(p_agent_id);
    v_task   tasks;
    v_step   job_steps;
    v_place  tid;
begin
    perform fn_admit_agent(p_agent_id, false);
    select t.* into v_task from tasks t where t.task_id = p_task_id;
    perform fn_lock_jobs(array[v_task.chain_id]);
    select s.ctid into v_place from job_steps s
     where s.job_id = v_task.chain_id and s.job_attempt = 1 and s.name = v_task.step for no key update;
    select s.* into v_step from job_steps s where s.ctid = v_place;
    if v_step.job_id is null then
        raise exception 'no task %', p_task_id using errcode = 'CR001', detail = 'task_id';
    elsif v_step.status = 'running' and v_step.lease_owner = v_owner then
        return;
    elsif v_step.status = 'running' then
        raise exception 'the task is %''s', fn_agent_of(v_step.lease_owner) using errcode = 'CR003', detail = 'task_id';
    elsif v_step.status = 'pending' then
        raise exception 'the task before it is not done' using errcode = 'CR003', detail = 'task_id';
    elsif v_step.status <> 'ready' then
        raise exception 'the task has ended' using errcode = 'CR003', detail = 'task_id';
    elsif exists (select 1 from task_claims c where c.node_id = v_owner and c.idempotency_key = p_idempotency_key) then
        raise exception 'the key was used for another task' using errcode = 'CR003', detail = 'idempotency_key';
    end if;
    perform fn_grant_task(p_agent_id, v_place, p_idempotency_key);
end $$;
