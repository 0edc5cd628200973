-- The transaction before which all have ended: what they wrote can be seen, and nothing will be added to it.
create or replace function corral.fn_stream_horizon() returns bigint
language sql stable
set search_path = corral, pg_catalog
as $$
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;
