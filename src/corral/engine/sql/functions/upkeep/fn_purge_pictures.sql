-- Forget pictures that nobody has looked at for p_for, and the watches that they were taken for. Called by upkeep.
create or replace function corral.fn_purge_pictures(p_for interval) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_before  timestamptz := fn_now() - p_for;
    v_gone    integer;
begin
    delete from device_watches w where w.watch_until < v_before;
    delete from device_pictures p
     where p.stored_at < v_before
       and not exists (select 1 from device_watches w where w.device_id = p.device_id and w.watch_until >= v_before);
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
