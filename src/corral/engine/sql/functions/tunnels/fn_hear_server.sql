-- A server process says that it runs, and where others reach it. Called by each of them every few seconds. Locks its row.
create or replace function corral.fn_hear_server(p_server_id uuid, p_peer_address text) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    insert into servers as s (server_id, peer_address, seen_at) values (p_server_id, p_peer_address, fn_now())
        on conflict (server_id) do update set peer_address = excluded.peer_address, seen_at = excluded.seen_at
$$;
