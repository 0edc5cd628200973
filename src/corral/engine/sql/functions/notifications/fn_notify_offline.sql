-- Tell that a node is offline, once for each silence: it is remembered until fn_notify_returned_nodes has told its return.
-- Called by fn_expire_leases, which passes that verdict.
create or replace function corral.fn_notify_offline(p_node corral.nodes) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
begin
    insert into offline_nodes (node_id, since) values (p_node.node_id, p_node.last_heartbeat_at) on conflict do nothing;
    if found then
        perform fn_notify('node.offline', p_node.node_id, jsonb_build_object('node', jsonb_build_object(
            'node_id', p_node.node_id, 'name', p_node.name, 'since', p_node.last_heartbeat_at, 'draining', p_node.draining,
            'devices', (select count(*) from devices d where d.node_id = p_node.node_id and d.connection = 'connected'))));
    end if;
end $$;
