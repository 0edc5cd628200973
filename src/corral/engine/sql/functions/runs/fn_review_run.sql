-- Note that somebody looked at a run: it is no longer a to-do. Repeating it changes nothing. Locks the run.
-- Raises CR001 not_found, CR003 conflict while the run is still going.
create or replace function corral.fn_review_run(p_run_id uuid, p_actor text) returns corral.runs
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_run  runs;
begin
    select r.* into v_run from runs r where r.run_id = p_run_id for no key update;
    if v_run.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    elsif v_run.finished_at is null then
        raise exception 'run % is still %: it is reviewed when it has ended', p_run_id, v_run.status using errcode = 'CR003';
    elsif v_run.reviewed_at is null then
        update runs r set reviewed_at = fn_now(), reviewed_by = p_actor where r.run_id = p_run_id returning r.* into v_run;
        perform fn_record_audit(p_actor, 'run.review', p_run_id::text, '{}');
    end if;
    return v_run;
end $$;
