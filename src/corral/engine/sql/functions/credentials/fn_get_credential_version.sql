-- The version that remembered credentials must be of to be trusted. Asked by every server once a second.
create or replace function corral.fn_get_credential_version() returns bigint
language sql stable
set search_path = corral, pg_catalog
as $$ select v.version from credential_version v $$;
