-- Forget jobs with their steps, leases, logs, results of tests and artifact rows, and what chains and tasks they were. The bytes of their artifacts are
-- then leftovers (fn_list_leftover_artifacts). Called by purges of ended jobs, which never change, and under the locks of a chain.
create or replace function corral.fn_forget_jobs(p_job_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    delete from job_steps s where s.job_id = any (p_job_ids);
    delete from step_needs s where s.job_id = any (p_job_ids);
    delete from leases l where l.job_id = any (p_job_ids);
    delete from log_lines l where l.job_id = any (p_job_ids);
    delete from test_results t where t.job_id = any (p_job_ids);
    delete from artifacts a where a.job_id = any (p_job_ids);
    delete from task_claims c where c.job_id = any (p_job_ids);
    delete from tasks t where t.chain_id = any (p_job_ids);
    delete from chains c where c.chain_id = any (p_job_ids);
    delete from jobs j where j.job_id = any (p_job_ids);
end $$;
