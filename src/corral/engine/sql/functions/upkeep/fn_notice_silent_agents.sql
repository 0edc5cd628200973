-- Let streams know of agents that were not heard for 30 seconds: nobody else would say so. Called by upkeep every second.
-- Locks those agents in key order, skipping any that is speaking. Returns how many.
create or replace function corral.fn_notice_silent_agents() returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_silent  text[];
begin
    v_silent := array(
        select a.agent_id from agents a
         where a.is_online and a.last_seen < fn_now() - interval '30 s' order by a.agent_id for no key update skip locked);
    update agents a set is_online = false where a.agent_id = any (v_silent);
    perform fn_note_changes('agents', v_silent);
    return cardinality(v_silent);
end $$;
