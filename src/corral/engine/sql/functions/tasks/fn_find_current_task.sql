-- The task that an agent was given last and has not ended, or null.
create or replace function corral.fn_find_current_task(p_agent_id text) returns uuid
language sql stable
set search_path = corral, pg_catalog
as $$
    select t.task_id
      from job_steps s join tasks t on t.chain_id = s.job_id and t.step = s.name
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = fn_agent_owner(p_agent_id)
     order by s.granted_at desc
     limit 1
$$;
