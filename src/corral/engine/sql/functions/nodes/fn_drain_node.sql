-- Let a node finish what it holds and get nothing new, or take that back. With p_epoch it is the node itself that speaks: it takes
-- back only its own word, never an operator's, and its word ends with its next registration. Saying again what is so changes nothing.
-- Locks the node. Raises CR101 stale_epoch, CR102 unknown_node.
create or replace function corral.fn_drain_node(p_node_id text, p_draining boolean, p_actor text, p_epoch integer default null)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_node  nodes;
    v_by    text := case when not p_draining then null when p_epoch is null then 'operator' else 'node' end;
begin
    select n.* into v_node from nodes n where n.node_id = p_node_id for no key update;
    if v_node.node_id is null then
        raise exception 'node % is not registered', p_node_id using errcode = 'CR102';
    elsif p_epoch <> v_node.epoch then
        raise exception 'node % has registered again since epoch %', p_node_id, p_epoch using errcode = 'CR101';
    elsif v_node.draining_by is not distinct from v_by or (p_epoch is not null and v_node.draining_by = 'operator') then
        return;
    end if;
    update nodes n
       set draining = p_draining, draining_by = v_by,
           draining_since = case when p_draining then coalesce(n.draining_since, fn_now()) end
     where n.node_id = p_node_id;
    perform fn_record_audit(p_actor, case when p_draining then 'node.drain' else 'node.undrain' end, p_node_id, '{}');
end $$;
