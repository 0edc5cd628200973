-- Lease a ready task to an agent: the claim is the start. Remembers the key that it was claimed with.
-- Called by fn_claim_task and fn_assign_task under the locks of the agent and the task. Locks the run's stripe, then the run.
create or replace function corral.fn_grant_task(p_agent_id text, p_place tid, p_idempotency_key text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_agent  nodes;
    v_job    uuid;
    v_name   text;
    v_step   job_steps;
    v_task   uuid;
begin
    v_agent.node_id := fn_agent_owner(p_agent_id);
    v_agent.epoch := 1;
    select g.job_id, g.name into v_job, v_name from fn_grant_steps(v_agent, null, array[p_place], true) g;
    select s.* into v_step from job_steps s where s.job_id = v_job and s.job_attempt = 1 and s.name = v_name;
    update tasks t set is_locked = false, updated_at = fn_now()
     where t.chain_id = v_step.job_id and t.step = v_step.name
    returning t.task_id into v_task;
    if coalesce(p_idempotency_key, '') <> '' then
        insert into task_claims (node_id, idempotency_key, job_id, step, claimed_at)
        values (v_agent.node_id, p_idempotency_key, v_step.job_id, v_step.name, fn_now());
    end if;
    perform fn_conclude_jobs('{}', fn_start_distributed_jobs(array[v_step.job_id]));
    perform fn_note_changes('tasks', array[v_task::text]);
    return v_task;
end $$;
