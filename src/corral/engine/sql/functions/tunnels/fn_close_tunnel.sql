-- Forget a tunnel: its holder's end is gone. Called by the server that had it.
create or replace function corral.fn_close_tunnel(p_tunnel_id uuid) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    delete from tunnels t where t.tunnel_id = p_tunnel_id
$$;
