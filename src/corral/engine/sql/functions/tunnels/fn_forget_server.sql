-- A server process stops: it and the tunnels whose holders' ends it had are gone. Called by it.
create or replace function corral.fn_forget_server(p_server_id uuid) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    delete from tunnels t where t.server_id = p_server_id;
    delete from servers s where s.server_id = p_server_id
$$;
