-- Whom the token of this sha256 proves, with the version of what is known: always one row, of nulls where it proves nobody.
create or replace function corral.fn_find_operator(p_digest bytea)
returns table (version bigint, name text, role text)
language sql stable
set search_path = corral, pg_catalog
as $$
    select v.version, o.name, o.role
      from credential_version v left join operators o on o.digest = p_digest and o.revoked_at is null
$$;
