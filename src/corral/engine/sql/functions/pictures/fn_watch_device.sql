-- Ask for pictures of a device's screen for p_for from now; asked again, they go on. Returns the node that takes them.
-- Called while somebody looks. Locks its row of device_watches. Raises CR001 not_found.
create or replace function corral.fn_watch_device(p_device_id uuid, p_for interval) returns text
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_node_id  text;
begin
    select d.node_id into v_node_id from devices d where d.device_id = p_device_id;
    if v_node_id is null then
        raise exception 'no device %', p_device_id using errcode = 'CR001', detail = 'device_id';
    end if;
    insert into device_watches as w (device_id, watch_until) values (p_device_id, fn_now() + p_for)
        on conflict (device_id) do update set watch_until = greatest(w.watch_until, excluded.watch_until);
    return v_node_id;
end $$;
