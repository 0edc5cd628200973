-- Give a node up to p_want jobs, at most one per device. Called by every pull, and repeated freely: a repeated p_request_id
-- returns the grant that it already got. Grants come from this node's available lanes only, highest priority first, then in
-- round-robin order, each lane's head; then from pools. Never more leases than max_concurrency + lookahead; jobs of a capped
-- run only into slots that are free now. Its cost follows the size of the node.
-- Locks the node, its lanes (skipping locked ones), their jobs, gates, stripes. Raises CR101 stale_epoch, CR102 unknown_node.
create or replace function corral.fn_pull_job(p_node_id text, p_epoch integer, p_want integer, p_request_id uuid)
returns table (job_id uuid, run_id uuid, device_id uuid, serial text, runtime_handle text, lease_token uuid, fence bigint,
               attempt integer, priority integer, "position" bigint, timeout_s double precision, input jsonb,
               index_no integer, label text, model text, os_version text, tags text[])
language plpgsql volatile rows 20
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_node     nodes := fn_renew_node_lease(p_node_id, p_epoch);
    v_held     integer;
    v_devices  uuid[];
    v_room     integer;
    v_gated    boolean;
begin
    select count(*) filter (where l.lease_token is not null),
           array_agg(l.device_id) filter (where l.request_id = p_request_id),
           coalesce(bool_or(l.gate_run_id is not null) filter (where l.ticket is not null), false)
      into v_held, v_devices, v_gated
      from lanes l where l.node_id = p_node_id;

    if v_devices is null and p_want > 0 and not v_node.draining then
        v_held := v_held + fn_count_step_leases(p_node_id);
        v_room := least(p_want, v_node.max_concurrency + v_node.lookahead - v_held);
        if v_room > 0 then
            v_devices := fn_pick_lanes(p_node_id, v_room, case when v_gated then v_node.max_concurrency - v_held end);
            v_room := least(v_room, v_node.max_concurrency - v_held) - coalesce(cardinality(v_devices), 0);
            if v_room > 0 and exists (select 1 from jobs j where j.is_waiting and j.device_id is null) then
                v_devices := v_devices || fn_bind_pool(p_node_id, v_room);
            end if;
            return query select * from fn_grant_lanes(v_node, p_request_id, v_devices);
        end if;
        return;
    end if;

    return query
        select j.job_id, j.run_id, l.device_id, d.serial, d.runtime_handle, l.lease_token, l.fence, j.attempt + 1, j.priority,
               j.position, extract(epoch from j.timeout)::double precision, j.input,
               d.index_no, d.label, d.model, d.os_version, d.tags
          from lanes l
          join jobs j on j.job_id = l.job_id and j.job_id = any (array(select o.job_id from lanes o where o.device_id = any (v_devices)))
          join devices d on d.device_id = l.device_id and d.device_id = any (v_devices)
         where l.device_id = any (v_devices)
         order by l.granted_at, j.priority desc, j.position;
end $$;
