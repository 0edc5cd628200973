-- Say that a distributed job runs, at a node's hands where one is named; its steps say so, too, when they start. Repeating it is safe.
-- Locks the job, then its run. Raises CR001 not_found, CR003 conflict (a device job starts by its node's events; or it has ended).
create or replace function corral.fn_start_job(p_job_id uuid, p_node_id text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_job  jobs;
begin
    select j.* into v_job from jobs j where j.job_id = p_job_id for no key update;
    if v_job.job_id is null then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    elsif v_job.mode <> 'distributed' or v_job.finished_at is not null then
        raise exception 'job % cannot be started by hand: it is %', p_job_id, v_job.status using errcode = 'CR003';
    end if;
    update jobs j set node_id = coalesce(p_node_id, j.node_id) where j.job_id = p_job_id;
    perform fn_conclude_jobs('{}', fn_start_distributed_jobs(array[p_job_id]));
end $$;
