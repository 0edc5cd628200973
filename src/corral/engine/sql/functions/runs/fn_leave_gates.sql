-- Give back the places that these leases held in their runs' gates; a run named n times gets n places back.
-- Locks the gates in key order.
create or replace function corral.fn_leave_gates(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = on
as $$
begin
    perform 1 from run_gates g where g.run_id = any (p_run_ids) order by g.run_id for no key update;
    update run_gates g
       set in_flight = g.in_flight - left_.places
      from (select run_id, count(*)::integer as places from unnest(p_run_ids) as u (run_id) group by run_id) left_
     where g.run_id = left_.run_id;
end $$;
