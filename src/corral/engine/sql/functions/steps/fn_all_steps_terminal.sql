-- Have all steps of a job ended? True of a job without steps.
create or replace function corral.fn_all_steps_terminal(p_job_id uuid) returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$ select not exists (select 1 from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.finished_at is null) $$;
