-- Sign a browser out. A session that is unknown is over already. Locks the session, then the credentials' version.
create or replace function corral.fn_close_session(p_digest bytea) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    delete from operator_sessions s where s.digest = p_digest;
    if found then
        perform fn_count_credential_change();
    end if;
end $$;
