-- Renew everything that a node holds; return its row. Called by every heartbeat and pull.
-- Locks the node's row and nothing else: one in-place update, and the semaphore under which the node's leases are given out.
-- Raises CR101 stale_epoch, CR102 unknown_node.
create or replace function corral.fn_renew_node_lease(p_node_id text, p_epoch integer) returns corral.nodes
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_now   timestamptz := fn_now();
    v_node  nodes;
begin
    update nodes n
       set lease_until = least(greatest(n.lease_until, v_now + s.lease_time), v_now + 2 * s.lease_time), last_heartbeat_at = v_now
      from settings s
     where n.node_id = p_node_id and n.epoch = p_epoch
    returning n.* into v_node;
    if v_node.node_id is null then
        if exists (select 1 from nodes n where n.node_id = p_node_id) then
            raise exception 'node % has registered again since epoch %', p_node_id, p_epoch using errcode = 'CR101';
        end if;
        raise exception 'node % is not registered', p_node_id using errcode = 'CR102';
    end if;
    return v_node;
end $$;
