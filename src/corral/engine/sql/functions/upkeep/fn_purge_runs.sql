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
    delete from job_steps s where s.job_id = any (v_jobs);
    delete from step_needs s where s.job_id = any (v_jobs);
    delete from leases l where l.job_id = any (v_jobs);
    delete from log_lines l where l.job_id = any (v_jobs);
    delete from artifacts a where a.job_id = any (v_jobs);
    delete from jobs j where j.job_id = any (v_jobs);

    with gone as (
        delete from runs r
         where r.finished_at < p_before and not exists (select 1 from jobs j where j.run_id = r.run_id)
        returning r.run_id
    ), secrets as (delete from run_secrets s using gone g where s.run_id = g.run_id),
       gates as (delete from run_gates s using gone g where s.run_id = g.run_id)
    delete from run_versions s using gone g where s.run_id = g.run_id;
    return coalesce(cardinality(v_jobs), 0);
end $$;
