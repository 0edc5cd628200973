-- Which node the token of this sha256 proves, with the version of what is known: always one row, of nulls where it proves nothing.
create or replace function corral.fn_find_node_token(p_digest bytea)
returns table (version bigint, token_id uuid, node_id text)
language sql stable
set search_path = corral, pg_catalog
as $$
    select v.version, t.token_id, t.node_id
      from credential_version v left join node_tokens t on t.digest = p_digest and t.revoked_at is null
$$;
