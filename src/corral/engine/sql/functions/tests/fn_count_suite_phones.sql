-- How many phones a run has left for its tests, at least one: its jobs that have not ended, or as many of them as may run at once.
-- Called by fn_take_tests. Reads the run's row, its stripes and its gate.
create or replace function corral.fn_count_suite_phones(p_run_id uuid) returns integer
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    select greatest(1, least(
        (select r.total_jobs from runs r where r.run_id = p_run_id)
            - (select coalesce(sum(v.succeeded + v.failed + v.cancelled + v.skipped_offline), 0)::integer
                 from run_versions v where v.run_id = p_run_id),
        (select g.cap from run_gates g where g.run_id = p_run_id)))
$$;
