-- Keep what an agent tells. A key that was used before is a repetition, and changes nothing. Returns the event's id, or null then.
create or replace function corral.fn_record_agent_event(
    p_agent_id text, p_task_id text, p_type text, p_payload jsonb, p_idempotency_key text)
returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_made  uuid;
begin
    insert into agent_events (event_id, agent_id, task_id, type, payload, idempotency_key, created_at)
    values (fn_uuid7(), p_agent_id, p_task_id, p_type, p_payload, p_idempotency_key, fn_now())
    on conflict (idempotency_key) do nothing
    returning event_id into v_made;
    if v_made is not null then
        perform fn_note_changes('events', array[v_made::text]);
    end if;
    return v_made;
end $$;
