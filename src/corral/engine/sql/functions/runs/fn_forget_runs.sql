-- Forget those of these runs that have no job left, and what sessions they were. Called after fn_forget_jobs.
create or replace function corral.fn_forget_runs(p_run_ids uuid[]) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    with gone as (
        delete from runs r
         where r.run_id = any (p_run_ids) and not exists (select 1 from jobs j where j.run_id = r.run_id)
        returning r.run_id
    ), sessions as (delete from device_sessions s using gone g where s.run_id = g.run_id),
       secrets as (delete from run_secrets s using gone g where s.run_id = g.run_id),
       gates as (delete from run_gates s using gone g where s.run_id = g.run_id),
       units as (delete from test_units s using gone g where s.run_id = g.run_id),
       phones as (delete from test_phones s using gone g where s.run_id = g.run_id),
       suites as (delete from test_suites s using gone g where s.run_id = g.run_id)
    delete from run_versions s using gone g where s.run_id = g.run_id
$$;
