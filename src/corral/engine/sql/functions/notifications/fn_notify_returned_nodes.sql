-- Tell that nodes are back whose silence was told, and forget that they were away; heartbeats need not ask. Called by upkeep. Locks
-- the rows of those nodes' silences. Returns how many there were.
create or replace function corral.fn_notify_returned_nodes() returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
declare
    v_node  record;
    v_back  integer := 0;
begin
    for v_node in
        delete from offline_nodes o using nodes n
         where n.node_id = o.node_id and n.lease_until >= fn_now()
        returning n.node_id, n.name, o.since
    loop
        perform fn_notify('node.online', v_node.node_id, jsonb_build_object('node', jsonb_build_object(
            'node_id', v_node.node_id, 'name', v_node.name, 'offline_since', v_node.since)));
        v_back := v_back + 1;
    end loop;
    return v_back;
end $$;
