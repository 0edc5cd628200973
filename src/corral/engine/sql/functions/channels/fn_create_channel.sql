-- A channel: a FIFO that agents claim tasks from. Raises CR002 invalid_request, CR003 conflict where the name is taken.
create or replace function corral.fn_create_channel(p_name text, p_description text, p_actor text default null)
returns corral.channels
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_made  channels;
begin
    if coalesce(p_name, '') = '' then
        raise exception 'a channel needs a name' using errcode = 'CR002', detail = 'name';
    end if;
    insert into channels (channel_id, name, description, created_at) values (fn_uuid7(), p_name, p_description, fn_now())
    on conflict (name) do nothing
    returning * into v_made;
    if v_made.channel_id is null then
        raise exception 'channel % exists already', p_name using errcode = 'CR003', detail = 'name';
    end if;
    perform fn_record_audit(p_actor, 'channel.create', v_made.channel_id::text, jsonb_build_object('name', p_name));
    perform fn_note_changes('channels', array[v_made.channel_id::text]);
    return v_made;
end $$;
