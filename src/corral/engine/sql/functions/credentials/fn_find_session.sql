-- Whose session the cookie of this sha256 opens, with the version of what is known: always one row, of nulls where it opens none.
-- token_digest is of the operator's present token, against which the caller checks the proof; the built-in operator, whose token is
-- in the server's settings, has neither that nor a role here.
create or replace function corral.fn_find_session(p_digest bytea)
returns table (version bigint, name text, role text, proof bytea, token_digest bytea, expires_at timestamptz, left_s double precision)
language sql stable
set search_path = corral, pg_catalog
as $$
    select v.version, s.name, o.role, s.proof, o.digest, s.expires_at,
           extract(epoch from s.expires_at - fn_now())::double precision
      from credential_version v
      left join operator_sessions s on s.digest = p_digest and s.expires_at > fn_now()
            and (s.name = 'operator' or exists (select 1 from operators p where p.name = s.name and p.revoked_at is null))
      left join operators o on o.name = s.name
$$;
