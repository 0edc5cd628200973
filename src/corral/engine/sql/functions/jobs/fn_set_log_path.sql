-- Say where a job's whole log is kept. Raises CR001 not_found.
create or replace function corral.fn_set_log_path(p_job_id uuid, p_log_path text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update jobs j set log_path = p_log_path where j.job_id = p_job_id;
    if not found then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    end if;
end $$;
