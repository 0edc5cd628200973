-- Let an operator's token and sessions open nothing any more; the name stays for what it did. Repeating it changes nothing.
-- Locks the operator, its sessions, then the credentials' version. Raises CR001 not_found.
create or replace function corral.fn_revoke_operator(p_name text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update operators o set revoked_at = fn_now() where o.name = p_name and o.revoked_at is null;
    if found then
        delete from operator_sessions s where s.name = p_name;
        perform fn_record_audit(p_actor, 'operator.revoke', p_name, '{}');
        perform fn_count_credential_change();
    elsif not exists (select 1 from operators o where o.name = p_name) then
        raise exception 'no operator %', p_name using errcode = 'CR001', detail = 'name';
    end if;
end $$;
