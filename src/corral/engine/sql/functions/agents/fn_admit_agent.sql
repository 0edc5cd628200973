-- Lock an agent that is given a task, known or not, and begin its lease anew. p_is_alive: it spoke itself.
-- Called by fn_claim_task and fn_assign_task. Locks the agent.
create or replace function corral.fn_admit_agent(p_agent_id text, p_is_alive boolean) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now    timestamptz := fn_now();
    v_lease  interval := (select s.lease_time from settings s);
    v_news   boolean;
begin
    select not a.is_online and p_is_alive into v_news from agents a where a.agent_id = p_agent_id for no key update;
    insert into agents as a (agent_id, name, is_online, lease_until, last_seen, created_at, updated_at)
    values (p_agent_id, p_agent_id, p_is_alive, v_now + v_lease, case when p_is_alive then v_now end, v_now, v_now)
    on conflict (agent_id) do update
       set is_online = a.is_online or p_is_alive, lease_until = v_now + v_lease,
           last_seen = case when p_is_alive then v_now else a.last_seen end;
    if coalesce(v_news, true) then
        perform fn_note_changes('agents', array[p_agent_id]);
    end if;
end $$;
