-- Ask to store an artifact's bytes under a key; returns the upload, with stored_at where they are stored already. For any token ever
-- given to that node for that job, until late_evidence after the lease's end (rule of trouble 10). Called before any byte is stored,
-- so that whatever is in the store has a row here. Locks the upload's row. Raises CR103 lease_lost with the path of what is not theirs.
create or replace function corral.fn_begin_artifact(p_key text, p_node_id text, p_job_id uuid, p_lease_token uuid)
returns corral.artifact_uploads
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_lease   leases;
    v_upload  artifact_uploads;
begin
    perform fn_record_step_leases(array[p_job_id], array[p_node_id], array[p_lease_token]);
    select l.* into v_lease
      from leases l where l.job_id = p_job_id and l.lease_token = p_lease_token and l.node_id = p_node_id;
    if v_lease.job_id is null then
        raise exception 'the token was never given to node % for this job', p_node_id using errcode = 'CR103', detail = 'lease_token';
    elsif v_lease.ended_at < fn_now() - (select s.late_evidence from settings s) then
        raise exception 'the lease ended too long ago' using errcode = 'CR103', detail = 'lease_token';
    elsif not fn_is_artifact_of(p_key, p_job_id, p_lease_token) then
        raise exception 'the key is not one of this job, node and device' using errcode = 'CR103', detail = 'key';
    end if;
    insert into artifact_uploads (key, job_id, begun_at) values (p_key, p_job_id, fn_now()) on conflict (key) do nothing;
    select u.* into v_upload from artifact_uploads u where u.key = p_key;
    return v_upload;
end $$;
