-- Did a step of a job fail, harmlessly or not?
create or replace function corral.fn_any_step_failed(p_job_id uuid) returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$ select exists (select 1 from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.status = 'failed') $$;
