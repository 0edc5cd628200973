-- Make every server look again before it trusts a credential that it remembers. Called, last, by whatever takes a right away or
-- changes what an old credential opens. Locks the one row: such changes happen one after the other.
create or replace function corral.fn_count_credential_change() returns void
language sql volatile
set search_path = corral, pg_catalog
as $$ update credential_version set version = version + 1 $$;
