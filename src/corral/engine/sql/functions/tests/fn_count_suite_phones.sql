-- How many phones of a run are at work, at least one: what waits behind other runs may come too late to share anything.
-- Called by fn_take_tests. Reads the run's stripes.
create or replace function corral.fn_count_suite_phones(p_run_id uuid) returns integer
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    select greatest(1, coalesce(sum(v.leased), 0)::integer) from run_versions v where v.run_id = p_run_id
$$;
