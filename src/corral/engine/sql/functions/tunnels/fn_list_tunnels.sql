-- The tunnels whose other end a node is to open: what a pull carries to it. Only under the lease that its session's job has now, and
-- while the holder may still be waiting. Reads the few that wait, and their lanes by token.
create or replace function corral.fn_list_tunnels(p_node_id text)
returns table (tunnel_id uuid, lease_token uuid)
language sql stable
set search_path = corral, pg_catalog
as $$
    select t.tunnel_id, t.lease_token
      from tunnels t
      join device_session_states v on v.session_id = t.session_id and v.lease_token = t.lease_token
     where t.node_id = p_node_id and t.joined_at is null and t.created_at > fn_now() - interval '30 seconds'
       and v.state = 'active' and v.expires_at > fn_now()
     order by t.tunnel_id
$$;
