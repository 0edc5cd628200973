-- Take back the tasks of an agent that has been silent for a whole lease time: they wait again, at their old place, in a locked chain too,
-- or fail with all that is behind them when they were lost too often.
-- Called by upkeep for each of fn_list_silent_agents, one agent a transaction. Locks the agent (not waiting for it: it would be
-- speaking), then jobs and so on. Returns how many tasks it lost.
create or replace function corral.fn_expire_agent(p_agent_id text) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_tokens  uuid[];
    v_chains  uuid[];
    v_tasks   uuid[];
begin
    perform 1 from agents a
      where a.agent_id = p_agent_id and a.lease_until < fn_now() and fn_verdicts_are_open() for no key update skip locked;
    if not found then
        return 0;
    end if;
    select coalesce(array_agg(s.lease_token), '{}'), array_agg(t.chain_id), array_agg(t.task_id)
      into v_tokens, v_chains, v_tasks
      from job_steps s left join tasks t on t.chain_id = s.job_id and t.step = s.name
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = fn_agent_owner(p_agent_id);
    perform fn_take_back_leases('{}', v_tokens, 'expired');
    update job_steps s set available_at = 'infinity'
      from chains c
     where c.chain_id = any (v_chains) and c.is_locked and s.job_id = c.chain_id and s.job_attempt = 1 and s.status = 'ready';
    perform fn_note_changes('tasks', array(
        select t.task_id::text
          from tasks t join job_steps s on s.job_id = t.chain_id and s.job_attempt = 1 and s.name = t.step
         where t.chain_id = any (v_chains) and (t.task_id = any (v_tasks) or s.status in ('failed', 'skipped'))
         order by t.chain_id, s.position));
    return cardinality(v_tokens);
end $$;
