-- Move contested devices to the node that claims them, once their lease ended or their node reported them gone (rule 11).
-- In the latter case the lease is taken back first. Called by upkeep. Locks lanes in key order, then jobs, then devices.
create or replace function corral.fn_resolve_contested(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_devices  uuid[];
    v_gone     uuid[];
    v_moved    integer;
begin
    select array_agg(c.device_id) into v_devices
      from (select d.device_id from devices d
             where d.contested_node_id is not null order by d.device_id limit coalesce(p_limit, 1000)) c;
    if v_devices is null then
        return 0;
    end if;
    perform fn_lock_lanes(v_devices);
    select array_agg(d.device_id) into v_gone
      from devices d where d.device_id = any (v_devices) and d.connection = 'gone';

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
    perform fn_take_back_leases(v_gone, '{}', 'device_moved');
    return v_moved;
end $$;
