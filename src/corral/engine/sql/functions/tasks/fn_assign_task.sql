-- Give a queued task to an agent by hand, out of turn. A task that the agent has already is left as it is.
-- Locks the agent, the job and the task. Raises CR001 not_found, CR102 unknown_node, CR003 conflict (somebody else's, ended, waiting for
-- the task before it; or the agent has no free slot).
create or replace function corral.fn_assign_task(p_node_id text, p_job_id uuid, p_step text, p_idempotency_key text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_node   nodes;
    v_task   job_steps;
    v_place  tid;
begin
    select n.* into v_node from nodes n where n.node_id = p_node_id for no key update;
    if v_node.node_id is null then
        raise exception 'node % is not registered', p_node_id using errcode = 'CR102';
    end if;
    perform fn_lock_jobs(array[p_job_id]);
    select s.ctid into v_place from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.name = p_step for no key update;
    select s.* into v_task from job_steps s where s.ctid = v_place;
    if v_task.job_id is null then
        raise exception 'no task % in chain %', p_step, p_job_id using errcode = 'CR001', detail = 'task_id';
    elsif v_task.status = 'running' and v_task.lease_owner = p_node_id then
        return;
    elsif v_task.status <> 'ready' then
        raise exception 'task % is %', p_step, v_task.status using errcode = 'CR003', detail = 'task_id';
    elsif not fn_has_free_slot(v_node) then
        raise exception 'node % has no free slot', p_node_id using errcode = 'CR003', detail = 'agent_id';
    end if;
    if exists (select 1 from task_claims c where c.node_id = p_node_id and c.idempotency_key = p_idempotency_key) then
        raise exception 'the key was used for another task' using errcode = 'CR003', detail = 'idempotency_key';
    end if;
    perform fn_grant_task(v_node, v_place, p_idempotency_key);
end $$;
