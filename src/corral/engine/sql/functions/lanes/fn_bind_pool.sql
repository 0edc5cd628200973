-- Bind waiting jobs of pools to idle lanes of the node that match their tags; the caller leases them. A pool's run gets each device at
-- most once; among equals the least used device is taken first. Goes by run, most urgent and oldest first, so that a run which no
-- device of this node matches does not stand in the way of the next. A capped run's places are respected.
-- Called by fn_pull_job when slots are left. Locks idle lanes, jobs and gates, skipping locked ones of each: it waits for nobody,
-- so the order in which it meets them is free. Returns the lanes that now have a head.
create or replace function corral.fn_bind_pool(p_node_id text, p_room integer) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_idle   uuid[];
    v_bound  uuid[] := '{}';
    v_run    record;
    v_fit    uuid[];
    v_jobs   uuid[];
    v_room   integer;
begin
    select array_agg(i.device_id) into v_idle
      from (select l.device_id from lanes l
             where l.node_id = p_node_id and l.is_available and l.ticket is null and l.lease_token is null
             order by l.fence, l.device_id
               for no key update skip locked) i;
    if v_idle is null then
        return '{}';
    end if;

    for v_run in
        select r.run_id, r.priority, array(select jsonb_array_elements_text(coalesce(r.target -> 'tags', '[]'))) as tags,
               exists (select 1 from run_gates g where g.run_id = r.run_id) as is_gated
          from runs r
         where r.finished_at is null and r.target ? 'any'
           and exists (select 1 from jobs j where j.run_id = r.run_id and j.device_id is null and j.is_waiting)
         order by r.priority desc, r.run_id
    loop
        exit when cardinality(v_bound) >= least(p_room, cardinality(v_idle));
        v_fit := array(
            select u.device_id
              from unnest(v_idle) with ordinality as u (device_id, place) join devices d on d.device_id = u.device_id
             where u.device_id <> all (v_bound) and d.tags @> v_run.tags
               and not exists (select 1 from jobs o where o.run_id = v_run.run_id and o.device_id = u.device_id)
             order by u.place
             limit p_room - cardinality(v_bound));
        v_room := cardinality(v_fit);
        if v_run.is_gated and v_room > 0 then
            select least(v_room, g.cap - g.in_flight) into v_room
              from run_gates g where g.run_id = v_run.run_id for no key update skip locked;
        end if;
        continue when coalesce(v_room, 0) = 0;
        v_jobs := array(
            select j.job_id from jobs j
             where j.run_id = v_run.run_id and j.device_id is null and j.is_waiting
             order by j.position limit v_room
               for no key update skip locked);
        v_fit := v_fit[1:cardinality(v_jobs)];
        update run_gates g set in_flight = g.in_flight + cardinality(v_jobs) where g.run_id = v_run.run_id;
        update jobs j set device_id = b.device_id
          from unnest(v_jobs, v_fit) as b (job_id, device_id) where j.job_id = b.job_id;
        update lanes l
           set job_id = b.job_id, ticket = 0, head_priority = v_run.priority,
               gate_run_id = case when v_run.is_gated then v_run.run_id end
          from unnest(v_jobs, v_fit) as b (job_id, device_id) where l.device_id = b.device_id;
        v_bound := v_bound || v_fit;
    end loop;
    return v_bound;
end $$;
