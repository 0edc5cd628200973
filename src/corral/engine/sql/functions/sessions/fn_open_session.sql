-- Sign a browser in as an operator, under a cookie of which only the sha256 comes here; return when that ends. The proof ties the
-- session to the token that it was traded for. Clears away what ended. Locks the sessions that it deletes.
create or replace function corral.fn_open_session(p_digest bytea, p_name text, p_proof bytea, p_lifetime interval) returns timestamptz
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_expires_at  timestamptz := fn_now() + p_lifetime;
begin
    delete from operator_sessions s
     where s.digest = any (array(select o.digest from operator_sessions o where o.expires_at <= fn_now() for update skip locked));
    insert into operator_sessions (digest, name, proof, created_at, expires_at)
    values (p_digest, p_name, p_proof, fn_now(), v_expires_at);
    perform fn_record_audit(p_name, 'session.open', p_name, '{}');
    return v_expires_at;
end $$;
