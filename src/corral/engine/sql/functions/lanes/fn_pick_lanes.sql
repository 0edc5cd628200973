-- Choose and lock up to p_room waiting lanes of a node, in the order in which they should start. p_gated_room, where not null,
-- is how many jobs of capped runs may be among them; each capped run gets no more than its gate has places for.
-- Called by fn_pull_job. Skips lanes that somebody else has locked: they will be there at the next pull.
create or replace function corral.fn_pick_lanes(p_node_id text, p_room integer, p_gated_room integer) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_devices  uuid[];
begin
    if p_gated_room is null then
        select array_agg(picked.device_id) into v_devices
          from (select l.device_id
                  from lanes l
                 where l.node_id = p_node_id and l.ticket is not null and l.is_available
                   and l.gate_run_id is null  -- one that came in since p_gated_room was decided must not pass its gate by
                 order by l.head_priority desc, l.ticket
                 limit p_room
                   for no key update skip locked) picked;
        return v_devices;
    end if;

    with placed as materialized (
        select l.device_id, l.job_id, l.gate_run_id, l.head_priority, l.ticket, g.cap - g.in_flight as places,
               row_number() over (partition by l.gate_run_id order by l.head_priority desc, l.ticket) as gate_place
          from lanes l left join run_gates g on g.run_id = l.gate_run_id
         where l.node_id = p_node_id and l.ticket is not null and l.is_available
    ), allowed as materialized (
        select p.*, count(*) filter (where p.gate_run_id is not null)
                        over (order by p.head_priority desc, p.ticket) as gated_before
          from placed p
         where p.gate_run_id is null or p.gate_place <= p.places
    ), picked as materialized (
        select l.device_id, a.head_priority, a.ticket
          from allowed a join lanes l on l.device_id = a.device_id and l.job_id = a.job_id and l.ticket is not null
         where a.gate_run_id is null or a.gated_before <= p_gated_room
         order by a.head_priority desc, a.ticket
         limit p_room
           for no key update of l skip locked
    )
    select array_agg(p.device_id order by p.head_priority desc, p.ticket) into v_devices from picked p;
    return fn_enter_gates(v_devices);
end $$;
