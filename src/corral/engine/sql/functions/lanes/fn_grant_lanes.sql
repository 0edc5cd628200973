-- Lease the head job of each of these lanes to the node: a fresh token, the next fence, a row in leases. Returns the grants, in the
-- order of the lanes. Called by fn_pull_job, once: it locked the node and the lanes and took the places in the gates.
-- The heads are read in a later statement than the lanes were locked in, so a head that came in meanwhile is seen.
create or replace function corral.fn_grant_lanes(p_node corral.nodes, p_request_id uuid, p_device_ids uuid[])
returns table (job_id uuid, run_id uuid, device_id uuid, serial text, runtime_handle text, lease_token uuid, fence bigint,
               attempt integer, priority integer, "position" bigint, timeout_s double precision, input jsonb,
               index_no integer, label text, model text, os_version text, tags text[])
language plpgsql volatile rows 20
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_now  timestamptz := fn_now();
begin
    if coalesce(cardinality(p_device_ids), 0) = 0 then
        return;
    end if;

    return query
    with granted as (
        update lanes l
           set ticket = null, lease_token = gen_random_uuid(), fence = l.fence + 1, lease_epoch = p_node.epoch,
               request_id = p_request_id, granted_at = v_now, unnamed_beats = 0
         where l.device_id = any (p_device_ids)
        returning l.device_id, l.job_id, l.lease_token, l.fence
    ), leased as (
        update jobs j
           set status = 'leased', is_waiting = false, is_started = false, device_id = g.device_id, node_id = p_node.node_id,
               lease_owner = p_node.node_id, lease_token = g.lease_token, state_seq = 0, leased_at = v_now,
               started_at = null, steps_done = 0, deadline_at = v_now + s.start_within + j.timeout
          from granted g, settings s
         where j.job_id = g.job_id and j.job_id = any (array(select o.job_id from granted o))
        returning j.job_id, j.run_id, j.attempt + 1 as attempt, g.device_id, g.lease_token, g.fence, j.priority, j.position,
                  j.timeout, j.input
    ), recorded as (
        insert into leases (job_id, lease_token, attempt, node_id, device_id, fence, granted_at)
        select l.job_id, l.lease_token, l.attempt, p_node.node_id, l.device_id, l.fence, v_now from leased l
    ), versioned as (
        insert into run_versions as v (run_id, stripe, leased)
        select l.run_id, fn_stripe(p_node.node_id), count(*) from leased l group by 1, 2 order by 1, 2
        on conflict (run_id, stripe) do update set version = v.version + 1, leased = v.leased + excluded.leased
    )
    select l.job_id, l.run_id, l.device_id, d.serial, d.runtime_handle, l.lease_token, l.fence, l.attempt, l.priority, l.position,
           extract(epoch from l.timeout)::double precision, l.input, d.index_no, d.label, d.model, d.os_version, d.tags
      from leased l
      join devices d on d.device_id = l.device_id and d.device_id = any (p_device_ids)
     order by array_position(p_device_ids, l.device_id);
end $$;
