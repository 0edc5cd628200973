-- Take the lanes' locks, in the one order in which everybody takes them.
create or replace function corral.fn_lock_lanes(p_device_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    perform 1 from lanes l where l.device_id = any (p_device_ids) order by l.device_id for no key update;
end $$;
