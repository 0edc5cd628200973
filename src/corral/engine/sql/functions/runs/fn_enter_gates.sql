-- Of the lanes picked, keep those whose capped run still has a place, and take it; jobs of other runs pass. Keeps their order.
-- Called by fn_pick_lanes, which saw the gates unlocked. Locks the gates in key order; the lanes are locked already.
create or replace function corral.fn_enter_gates(p_device_ids uuid[]) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_passed  uuid[];
begin
    perform 1
       from run_gates g
      where g.run_id in (select l.gate_run_id from lanes l where l.device_id = any (p_device_ids))
      order by g.run_id
        for no key update;

    with asked as materialized (
        select u.device_id, u.place, l.gate_run_id, g.cap - g.in_flight as places,
               row_number() over (partition by l.gate_run_id order by u.place) as gate_place
          from unnest(p_device_ids) with ordinality as u (device_id, place)
          join lanes l on l.device_id = u.device_id
          left join run_gates g on g.run_id = l.gate_run_id
    ), passed as materialized (
        select a.* from asked a where a.gate_run_id is null or a.gate_place <= a.places
    ), entered as (
        update run_gates g
           set in_flight = g.in_flight + e.places
          from (select gate_run_id, count(*)::integer as places from passed where gate_run_id is not null group by 1) e
         where g.run_id = e.gate_run_id
    )
    select array_agg(p.device_id order by p.place) into v_passed from passed p;
    return v_passed;
end $$;
