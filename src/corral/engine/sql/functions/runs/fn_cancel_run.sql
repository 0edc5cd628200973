-- Ask for a run to be cancelled. Its waiting jobs are cancelled by fn_cancel_jobs, in chunks; its leased ones end by their node's
-- word, their lease or their deadline, and a result that was achieved first stands (rule 6). A finished run is left as it is.
-- Locks the run. Raises CR001 not_found. Returns the run.
create or replace function corral.fn_cancel_run(p_run_id uuid, p_actor text) returns corral.runs
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_run  runs;
begin
    update runs r
       set cancel_requested_at = fn_now(), cancel_requested_by = p_actor
     where r.run_id = p_run_id and r.finished_at is null and r.cancel_requested_at is null;
    if found then
        perform fn_record_audit(p_actor, 'run.cancel', p_run_id::text, '{}');
    end if;
    select r.* into v_run from runs r where r.run_id = p_run_id;
    if v_run.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    return v_run;
end $$;
