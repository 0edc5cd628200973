-- Keep what a device's screen shows (p_content), or why it shows nothing (p_error_message), in the place of what was there, if
-- somebody still looks; return for how many seconds they will, 0 to stop. Called by the device's node, about once a second.
-- Takes no lock but its row's. Raises CR001 (not, or no longer, this node's device), CR101 stale_epoch (or a lease that ended).
create or replace function corral.fn_store_picture(
    p_node_id text, p_epoch integer, p_device_id uuid, p_content_type text, p_content bytea, p_error_message text)
returns double precision
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now   timestamptz := fn_now();
    v_left  interval;
begin
    if not exists (select 1 from nodes n where n.node_id = p_node_id and n.epoch = p_epoch and n.lease_until >= v_now) then
        raise exception 'node % has no live lease of epoch %', p_node_id, p_epoch using errcode = 'CR101';
    end if;
    if not exists (select 1 from devices d
                    where d.device_id = p_device_id and d.node_id = p_node_id and d.contested_node_id is null) then
        raise exception 'no device % on node %', p_device_id, p_node_id using errcode = 'CR001', detail = 'device_id';
    end if;
    select w.watch_until - v_now into v_left from device_watches w where w.device_id = p_device_id and w.watch_until > v_now;
    if v_left is null then
        return 0;
    end if;
    insert into device_pictures as p (device_id, stored_at, content_type, content, error_message)
    values (p_device_id, v_now, p_content_type, p_content, p_error_message)
        on conflict (device_id) do update
       set stored_at = excluded.stored_at, content_type = excluded.content_type, content = excluded.content,
           error_message = excluded.error_message;
    return extract(epoch from v_left);
end $$;
