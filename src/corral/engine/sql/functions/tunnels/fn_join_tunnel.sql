-- A node has opened its end of a tunnel: where the other end is, and what proves there that this is it. Once only: a second end would
-- have nobody to speak with. Locks the tunnel. Raises CR001 not_found (none that waits for this node, or not any more).
create or replace function corral.fn_join_tunnel(p_tunnel_id uuid, p_node_id text)
returns table (server_id uuid, peer_address text, secret text)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    update tunnels t
       set joined_at = fn_now()
      from servers s
     where t.tunnel_id = p_tunnel_id and t.node_id = p_node_id and t.joined_at is null and s.server_id = t.server_id
       and exists (select 1 from fn_list_tunnels(p_node_id) l where l.tunnel_id = p_tunnel_id)
    returning t.server_id, s.peer_address, t.secret;
    if not found then
        raise exception 'no tunnel % waits for node %', p_tunnel_id, p_node_id using errcode = 'CR001', detail = 'tunnel_id';
    end if;
end $$;
