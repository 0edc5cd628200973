-- Fail scans that did not finish in scan_time, so that none stays open for ever. Called by upkeep.
create or replace function corral.fn_expire_scans() returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_failed  integer;
begin
    update scan_jobs s
       set status = 'failed', finished_at = fn_now(), error_message = 'the node did not finish the scan in time'
     where s.finished_at is null and s.created_at < fn_now() - (select scan_time from settings);
    get diagnostics v_failed = row_count;
    return v_failed;
end $$;
