-- Give an operator a new token; the old one and its sessions open nothing any more. Locks the operator, its sessions, then the
-- credentials' version. Raises CR001 not_found.
create or replace function corral.fn_rotate_operator_token(p_name text, p_digest bytea, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update operators o set digest = p_digest, token_at = fn_now() where o.name = p_name and o.revoked_at is null;
    if not found then
        raise exception 'no operator %', p_name using errcode = 'CR001', detail = 'name';
    end if;
    delete from operator_sessions s where s.name = p_name;
    perform fn_record_audit(p_actor, 'operator.rotate', p_name, '{}');
    perform fn_count_credential_change();
end $$;
