-- Whether a key is one that the holder of this lease may give an artifact: {video or _}/{node}/{serial}/{run}/{timestamp}-{tag}.{extension}
-- of its own run, node and device. A job without a device may name any. Called by fn_judge_events for artifact_created only, and by
-- fn_begin_artifact. Reads four rows by their keys, whatever planner settings its caller has.
create or replace function corral.fn_is_artifact_of(p_key text, p_job_id uuid, p_lease_token uuid) returns boolean
language plpgsql stable
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_nestloop = on
as $$
declare
    c_form    constant text := '^[^/]+/[^/]+/[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}/[^/]+/[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}\.[a-z0-9]{1,8}$';
    v_parts   text[] := string_to_array(p_key, '/');
begin
    return p_key is not null and p_key ~ c_form and exists (
        select 1
          from leases l
          join jobs j on j.job_id = l.job_id
          join runs r on r.run_id = j.run_id
          left join devices d on d.device_id = l.device_id
         where l.job_id = p_job_id and l.lease_token = p_lease_token
           and v_parts[1] = coalesce(r.youtube_video_id, '_') and v_parts[2] = l.node_id and v_parts[4] = r.run_id::text
           and (l.device_id is null or v_parts[3] = d.serial));
end $$;
