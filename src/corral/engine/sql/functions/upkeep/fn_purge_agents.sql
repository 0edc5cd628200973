-- Forget agents that were not heard since p_before and hold no task, at most p_limit a call.
create or replace function corral.fn_purge_agents(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  text[];
begin
    v_gone := array(
        select a.agent_id from agents a
         where coalesce(a.last_seen, a.created_at) < p_before
           and not exists (select 1 from job_steps s
                            where s.status = 'running' and s.lease_token is not null and s.lease_owner = fn_agent_owner(a.agent_id))
         limit coalesce(p_limit, 10000) for update skip locked);
    delete from agents a where a.agent_id = any (v_gone);
    perform fn_note_changes('agents', v_gone, true);
    return cardinality(v_gone);
end $$;
