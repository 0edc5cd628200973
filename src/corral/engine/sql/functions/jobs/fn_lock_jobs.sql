-- Take the jobs' locks, in the one order in which everybody takes them; lanes come before jobs.
create or replace function corral.fn_lock_jobs(p_job_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    perform 1 from jobs j where j.job_id = any (p_job_ids) order by j.job_id for no key update;
end $$;
