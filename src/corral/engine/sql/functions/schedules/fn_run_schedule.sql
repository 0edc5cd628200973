-- Run what a schedule would, now, because somebody asked: paused or not, and whatever else of it still runs. The firing is written
-- down in the same transaction. Locks the schedule's key. Raises CR001 not_found, and what fn_create_run does. Returns the run.
create or replace function corral.fn_run_schedule(p_schedule_id uuid, p_workflow_id uuid, p_request jsonb, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_run  uuid;
begin
    perform 1 from schedules s where s.schedule_id = p_schedule_id for key share;
    if not found then
        raise exception 'no schedule %', p_schedule_id using errcode = 'CR001', detail = 'schedule_id';
    end if;
    v_run := (fn_create_run(p_workflow_id, p_request, p_actor)).run_id;
    insert into firings (firing_id, schedule_id, due_at, is_by_hand, outcome, run_id, recorded_at)
    values (fn_uuid7(), p_schedule_id, fn_now(), true, 'fired', v_run, fn_now());
    return v_run;
end $$;
