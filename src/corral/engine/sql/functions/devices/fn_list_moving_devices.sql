-- The known devices whose lane a report may change: those that it connects, disconnects, heals, quarantines or moves. A report of
-- battery and temperature alone touches no lane. Called by fn_heartbeat and fn_report_devices, to lock those lanes in advance.
create or replace function corral.fn_list_moving_devices(p_node_id text, p_devices jsonb, p_is_complete boolean) returns uuid[]
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    return array(
        select d.device_id
          from jsonb_array_elements(coalesce(p_devices, '[]')) as r (body)
          join devices d on d.serial = r.body ->> 'serial'
           and d.serial_scope = case when (r.body ->> 'is_node_scoped')::boolean then p_node_id else '' end
         where (d.node_id <> p_node_id and coalesce(r.body ->> 'connection', 'connected') not in ('gone', 'offline'))
            or d.contested_node_id is not null
            or coalesce(r.body ->> 'connection', d.connection) <> d.connection
            or coalesce(r.body ->> 'health', d.health) <> d.health
        union
        select d.device_id from devices d where p_is_complete and d.node_id = p_node_id and d.connection <> 'gone');
end $$;
