-- Let a node finish what it holds and get nothing new, or take that back. Locks the node. Raises CR102 unknown_node.
create or replace function corral.fn_drain_node(p_node_id text, p_draining boolean, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update nodes n
       set draining = p_draining,
           draining_since = case when p_draining then coalesce(n.draining_since, fn_now()) end
     where n.node_id = p_node_id;
    if not found then
        raise exception 'node % is not registered', p_node_id using errcode = 'CR102';
    end if;
    perform fn_record_audit(p_actor, case when p_draining then 'node.drain' else 'node.undrain' end, p_node_id, '{}');
end $$;
