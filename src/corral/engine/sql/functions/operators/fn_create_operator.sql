-- Name an operator with a role and a token, of which only the sha256 comes here. A name that was revoked may be given again: its
-- old token and sessions stay dead. Locks the operator of that name.
-- Raises CR002 invalid_request, CR003 conflict where the name is taken.
create or replace function corral.fn_create_operator(p_name text, p_role text, p_digest bytea, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    if p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$' then
        raise exception 'name must be 1 to 63 letters, digits, dots, dashes, underscores or at signs'
              using errcode = 'CR002', detail = 'name';
    elsif p_name in ('operator', 'local', 'anonymous') then
        raise exception '% is a name that Corral uses itself', p_name using errcode = 'CR002', detail = 'name';
    end if;
    insert into operators as o (name, role, digest, token_at, created_at, created_by)
    values (p_name, p_role, p_digest, fn_now(), fn_now(), coalesce(p_actor, 'anonymous'))
    on conflict (name) do update
       set role = excluded.role, digest = excluded.digest, token_at = excluded.token_at, created_at = excluded.created_at,
           created_by = excluded.created_by, last_used_at = null, revoked_at = null
     where o.revoked_at is not null;
    if not found then
        raise exception 'there is already an operator %', p_name using errcode = 'CR003', detail = 'name';
    end if;
    perform fn_record_audit(p_actor, 'operator.create', p_name, jsonb_build_object('role', p_role));
end $$;
