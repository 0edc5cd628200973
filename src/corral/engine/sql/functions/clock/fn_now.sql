-- The engine's clock: the database's, and nothing else's. Everything asks it, so that tests can move time
-- by replacing this one function.
create or replace function corral.fn_now() returns timestamptz
language sql stable parallel safe
as $$ select pg_catalog.now() $$;
