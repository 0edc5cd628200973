-- A node's heartbeat: renews what it holds, takes in changed devices, notices grants that never arrived and jobs past their
-- deadline, and tells the node what it must know: leases that it no longer has or must let go of, jobs to cancel, scans to do.
-- It must let go of a device that it reported gone and that another node sees: until it says that it did, nobody else gets it (rule 11).
-- A device that makes no sense is refused by its path, and costs the node neither its lease nor the others.
-- p_held names every token that the node holds: one until its job_finished was acknowledged. p_devices lists changed devices.
-- Locks the node, its lanes in key order, jobs, gates, stripes, runs. Raises CR101 stale_epoch, CR102 unknown_node, CR002.
create or replace function corral.fn_heartbeat(p_node_id text, p_epoch integer, p_held uuid[], p_devices jsonb default null)
returns table (lease_s double precision, lost uuid[], cancel uuid[], scans jsonb, draining boolean, refused text[])
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_node    nodes := fn_renew_node_lease(p_node_id, p_epoch);
    v_held    uuid[] := coalesce(p_held, '{}');
    v_review   uuid[];
    v_devices  jsonb := coalesce((select jsonb_agg(r.body) from jsonb_array_elements(p_devices) as r (body)
                                   where fn_is_sound_device(r.body)), '[]');
begin
    v_review := fn_list_doubtful_leases(p_node_id, p_epoch, v_held);
    if v_devices <> '[]' then
        perform fn_admit_devices(p_node_id, v_devices);
        perform fn_lock_lanes(v_review || fn_list_moving_devices(p_node_id, v_devices, false));
        perform fn_report_devices(p_node_id, p_epoch, v_devices, false);
    end if;
    perform fn_review_leases(p_node_id, p_epoch, v_held, v_review);

    return query
    select extract(epoch from (select s.lease_time from settings s))::double precision,
           array(select h.token from unnest(v_held) as h (token)
                 except select l.lease_token from lanes l
                         where l.node_id = p_node_id and l.lease_token is not null
                           and l.device_id <> all (array(select d.device_id from devices d
                                                          where d.contested_node_id is not null and d.connection = 'gone'
                                                            and d.node_id = p_node_id))
                 except select st.lease_token from job_steps st
                         where st.status = 'running' and st.lease_token is not null and st.lease_owner = p_node_id),
           fn_list_cancels(p_node_id),
           coalesce((select jsonb_agg(jsonb_build_object('scan_id', sc.scan_id, 'addresses', sc.addresses) order by sc.created_at)
                       from scan_jobs sc where sc.node_id = p_node_id and sc.finished_at is null), '[]'),
           v_node.draining,
           array(select format('devices[%s]', r.place - 1)
                   from jsonb_array_elements(p_devices) with ordinality as r (body, place)
                  where not fn_is_sound_device(r.body));
end $$;
