-- May a node be given one more lease? Counts lanes and steps. Called under the node's lock.
create or replace function corral.fn_has_free_slot(p_node corral.nodes) returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$
    select (select count(*) from lanes l where l.node_id = p_node.node_id and l.lease_token is not null)
           + fn_count_step_leases(p_node.node_id) < p_node.max_concurrency + p_node.lookahead
$$;
