-- Close an open job: it gets no more steps and ends with the last of them, at once if none is open. Repeating it is safe.
-- Locks the job, then what fn_conclude_jobs locks. Raises CR001 not_found.
create or replace function corral.fn_close_job(p_job_id uuid) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_open  integer;
begin
    update jobs j set is_open = false where j.job_id = p_job_id returning j.open_steps into v_open;
    if not found then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    elsif v_open = 0 then
        perform fn_conclude_jobs(fn_read_job_outcomes(array(
            select j.job_id from jobs j where j.job_id = p_job_id and j.mode = 'distributed' and j.finished_at is null)));
    end if;
end $$;
