-- Lease a ready task to an agent: the claim is the start. Remembers the key that it was claimed with.
-- Called by fn_claim_task and fn_assign_task under the locks of the agent and the task. Locks the run's stripe, then the run.
create or replace function corral.fn_grant_task(p_node corral.nodes, p_place tid, p_idempotency_key text) returns corral.job_steps
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job   uuid;
    v_name  text;
    v_task  job_steps;
begin
    select g.job_id, g.name into v_job, v_name from fn_grant_steps(p_node, null, array[p_place], true) g;
    select s.* into v_task from job_steps s where s.job_id = v_job and s.job_attempt = 1 and s.name = v_name;
    if coalesce(p_idempotency_key, '') <> '' then
        insert into task_claims (node_id, idempotency_key, job_id, step, claimed_at)
        values (p_node.node_id, p_idempotency_key, v_task.job_id, v_task.name, fn_now());
    end if;
    perform fn_conclude_jobs('{}', fn_start_distributed_jobs(array[v_task.job_id]));
    return v_task;
end $$;
