-- Lock a job of devices whose lease is live and is the caller's, so that it stays so until the end of the transaction. Called by
-- what phones ask for in the middle of a step (fn_offer_tests, fn_claim_tests). Locks the job. Raises CR103 lease_lost.
create or replace function corral.fn_lock_live_job(p_node_id text, p_job_id uuid, p_lease_token uuid) returns corral.jobs
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
    v_job  jobs;
begin
    select j.* into v_job from jobs j where j.job_id = p_job_id for no key update;
    if v_job.job_id is null or v_job.mode <> 'device' or v_job.status not in ('leased', 'running')
       or v_job.lease_token is distinct from p_lease_token or v_job.lease_owner is distinct from p_node_id then
        raise exception 'the token is not that of a live lease of node % for this job', p_node_id
              using errcode = 'CR103', detail = 'lease_token';
    end if;
    return v_job;
end $$;
