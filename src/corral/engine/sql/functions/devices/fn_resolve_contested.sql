-- Move contested devices to the node that claims them, once their lease ended (rule 11): only then has their node let go of them.
-- A node that reported such a device gone is told to let go (fn_heartbeat). Called by upkeep. Locks lanes in key order, then devices.
create or replace function corral.fn_resolve_contested(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_devices  uuid[];
    v_moved    integer;
begin
    select array_agg(c.device_id) into v_devices
      from (select d.device_id from devices d join lanes l on l.device_id = d.device_id
             where d.contested_node_id is not null and l.lease_token is null order by d.device_id limit coalesce(p_limit, 1000)) c;
    if v_devices is null then
        return 0;
    end if;
    perform fn_lock_lanes(v_devices);

    update devices d
       set node_id = d.contested_node_id, contested_node_id = null, changed_at = fn_now(),
           connection = d.contested_connection,
           contested_connection = null,
           unavailable_since = case when d.health = 'quarantined' or d.contested_connection <> 'connected'
                                    then coalesce(d.unavailable_since, fn_now()) end
      from lanes l
     where d.device_id = any (v_devices) and l.device_id = d.device_id and l.lease_token is null
       and d.contested_node_id is not null;
    get diagnostics v_moved = row_count;
    perform fn_align_lanes(v_devices);
    return v_moved;
end $$;
