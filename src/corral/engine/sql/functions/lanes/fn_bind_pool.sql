-- Bind waiting jobs of pools to idle lanes of the node that match their tags; the caller leases them. A pool's run gets each device at
-- most once; among equals the least used device is taken first. Fair between runs of one priority: the next device goes to the run that
-- has the fewest in flight, on the whole farm and with those that it gets here, then to the oldest; so one that asks for a single device
-- does not starve behind one that asks for a thousand. A run which no device of this node matches does not stand in the way of the next.
-- A capped run's places are respected.
-- Called by fn_pull_job when slots are left. Locks idle lanes, jobs and gates, skipping locked ones of each: it waits for nobody,
-- so the order in which it meets them is free. Returns the lanes that now have a head.
create or replace function corral.fn_bind_pool(p_node_id text, p_room integer) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_idle    uuid[];
    v_bound   uuid[] := '{}';
    v_done    uuid[] := '{}';
    v_turn    record;
    v_device  uuid;
    v_job     uuid;
begin
    select array_agg(i.device_id) into v_idle
      from (select l.device_id from lanes l
             where l.node_id = p_node_id and l.is_available and l.ticket is null and l.lease_token is null
             order by l.fence, l.device_id
               for no key update skip locked) i;
    if v_idle is null then
        return '{}';
    end if;

    -- The turns that runs would take if all devices suited all of them: a run's n-th is behind every n-th of runs with fewer in flight.
    for v_turn in
        select r.run_id, r.priority, r.tags, r.is_gated
          from (select r.run_id, r.priority, array(select jsonb_array_elements_text(coalesce(r.target -> 'tags', '[]'))) as tags,
                       exists (select 1 from run_gates g where g.run_id = r.run_id) as is_gated,
                       (select coalesce(sum(v.leased), 0) from run_versions v where v.run_id = r.run_id) as in_flight,
                       (select count(*) from (select 1 from jobs j where j.run_id = r.run_id and j.device_id is null and j.is_waiting
                                               limit p_room) w) as waiting
                  from runs r
                 where r.finished_at is null and r.target ? 'any') r
         cross join lateral generate_series(1, r.waiting) as t (turn)
         order by r.priority desc, r.in_flight + t.turn, r.run_id
    loop
        exit when cardinality(v_bound) >= least(p_room, cardinality(v_idle));
        continue when v_turn.run_id = any (v_done);

        select u.device_id into v_device
          from unnest(v_idle) with ordinality as u (device_id, place) join devices d on d.device_id = u.device_id
         where u.device_id <> all (v_bound) and d.tags @> v_turn.tags
           and not exists (select 1 from jobs o where o.run_id = v_turn.run_id and o.device_id = u.device_id)
         order by u.place
         limit 1;
        if v_device is not null and v_turn.is_gated then
            perform 1 from run_gates g where g.run_id = v_turn.run_id and g.in_flight < g.cap for no key update skip locked;
            v_device := case when found then v_device end;
        end if;
        v_job := null;
        if v_device is not null then
            select j.job_id into v_job from jobs j
             where j.run_id = v_turn.run_id and j.device_id is null and j.is_waiting
             order by j.position limit 1
               for no key update skip locked;
        end if;
        if v_job is null then
            v_done := v_done || v_turn.run_id;
            continue;
        end if;

        update run_gates g set in_flight = g.in_flight + 1 where g.run_id = v_turn.run_id;
        update jobs j set device_id = v_device where j.job_id = v_job;
        update lanes l
           set job_id = v_job, ticket = 0, head_priority = v_turn.priority,
               gate_run_id = case when v_turn.is_gated then v_turn.run_id end
         where l.device_id = v_device;
        v_bound := v_bound || v_device;
    end loop;
    return v_bound;
end $$;
