-- Bind waiting jobs of pools to idle lanes of the node that match their tags, and lease them. A pool's run gets each device
-- at most once; among equals the least used device is taken first. A capped run's places are respected.
-- Called by fn_pull_job when slots are left. Locks idle lanes, jobs and gates, skipping locked ones of each: it waits for nobody,
-- so the order in which it meets them is free.
create or replace function corral.fn_grant_pool(p_node corral.nodes, p_request_id uuid, p_room integer) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    c_look_at  constant integer := 200;
    v_idle     uuid[];
    v_bound    uuid[] := '{}';
    v_job      record;
    v_device   uuid;
begin
    select array_agg(i.device_id) into v_idle
      from (select l.device_id from lanes l
             where l.node_id = p_node.node_id and l.is_available and l.ticket is null and l.lease_token is null
             order by l.fence, l.device_id
               for no key update skip locked) i;
    if v_idle is null then
        return '{}';
    end if;

    for v_job in
        select j.job_id, j.run_id, j.priority, j.pool_tags, j.is_gated
          from jobs j
         where j.is_waiting and j.device_id is null
         order by j.priority desc, j.position
         limit c_look_at
           for no key update skip locked
    loop
        exit when cardinality(v_bound) >= p_room or cardinality(v_bound) >= cardinality(v_idle);
        select u.device_id into v_device
          from unnest(v_idle) with ordinality as u (device_id, place)
          join devices d on d.device_id = u.device_id
         where u.device_id <> all (v_bound) and d.tags @> v_job.pool_tags
           and not exists (select 1 from jobs o where o.run_id = v_job.run_id and o.device_id = u.device_id)
         order by u.place
         limit 1;
        continue when v_device is null;
        if v_job.is_gated then
            perform 1 from run_gates g
              where g.run_id = v_job.run_id and g.in_flight < g.cap
                for no key update skip locked;
            continue when not found;
            update run_gates g set in_flight = g.in_flight + 1 where g.run_id = v_job.run_id;
        end if;
        update jobs j set device_id = v_device where j.job_id = v_job.job_id;
        update lanes l
           set job_id = v_job.job_id, ticket = 0, head_priority = v_job.priority,
               gate_run_id = case when v_job.is_gated then v_job.run_id end
         where l.device_id = v_device;
        v_bound := v_bound || v_device;
    end loop;
    return fn_grant_lanes(p_node, p_request_id, v_bound);
end $$;
