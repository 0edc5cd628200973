-- An agent says that it lives and what it does; it is made known thereby. Renews the leases of its tasks. A name, a status and meta
-- that are not given stay; a current task that is not given is none. Streams hear of it when more than the time changed.
-- Locks the agent.
create or replace function corral.fn_heartbeat_agent(
    p_agent_id text, p_name text, p_status text, p_current_task_id text, p_meta jsonb)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now     timestamptz := fn_now();
    v_lease   interval := (select s.lease_time from settings s);
    v_former  agents;
begin
    select a.* into v_former from agents a where a.agent_id = p_agent_id for no key update;
    insert into agents as a (agent_id, name, status, current_task_id, meta, is_online, lease_until, last_seen, created_at, updated_at)
    values (p_agent_id, coalesce(p_name, p_agent_id), coalesce(p_status, 'idle'), p_current_task_id, coalesce(p_meta, '{}'), true,
            v_now + v_lease, v_now, v_now, v_now)
    on conflict (agent_id) do update
       set name = coalesce(p_name, a.name), status = coalesce(p_status, a.status), current_task_id = p_current_task_id,
           meta = coalesce(p_meta, a.meta), is_online = true, lease_until = v_now + v_lease, last_seen = v_now, updated_at = v_now;
    if v_former.agent_id is null or not v_former.is_online
       or (v_former.name, v_former.status, v_former.current_task_id, v_former.meta)
          is distinct from (coalesce(p_name, v_former.name), coalesce(p_status, v_former.status), p_current_task_id,
                            coalesce(p_meta, v_former.meta)) then
        perform fn_note_changes('agents', array[p_agent_id]);
    end if;
end $$;
