-- The devices of a run that has tests, by their numbers, each with its job: those that its jobs are on, and those that told results.
-- Called by readers of a run's tests.
create or replace function corral.fn_list_case_devices(p_run_id uuid)
returns table ("index" integer, device_id uuid, serial text, job_id uuid)
language sql stable
set search_path = corral, pg_catalog
as $$
    select d.index_no, d.device_id, d.serial, p.job_id
      from (select j.device_id, j.job_id from jobs j where j.run_id = p_run_id
            union
            select r.device_id, r.job_id from test_results r where r.run_id = p_run_id) p
      join devices d on d.device_id = p.device_id
     order by d.index_no, p.job_id
$$;
