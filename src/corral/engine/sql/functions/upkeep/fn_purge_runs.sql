-- Forget runs that ended before p_before, with their jobs, steps, leases, logs and artifact rows: whole jobs only, at most p_limit
-- jobs a call, and the run itself once its last job is gone. The bytes of their artifacts are then leftovers (fn_list_leftover_artifacts).
-- Terminal jobs never change, so no lock is taken in advance. Returns the number of jobs forgotten.
create or replace function corral.fn_purge_runs(p_before timestamptz, p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_jobs  uuid[];
begin
    select array_agg(p.job_id) into v_jobs
      from (select j.job_id from runs r join jobs j on j.run_id = r.run_id
             where r.finished_at < p_before limit coalesce(p_limit, 1000)) p;
    perform fn_forget_jobs(v_jobs);
    perform fn_forget_runs(array(
        select r.run_id from runs r
         where r.finished_at < p_before and not exists (select 1 from jobs j where j.run_id = r.run_id)));
    return coalesce(cardinality(v_jobs), 0);
end $$;
