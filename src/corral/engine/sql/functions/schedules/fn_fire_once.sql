-- Let one due time of a locked schedule happen: skip it, or create its run, or write down why not. Called by fn_fire_schedule.
-- Locks the runs that it cancels. A due time that is written down already happens no second time.
create or replace function corral.fn_fire_once(
    p_schedule corral.schedules, p_due_at timestamptz, p_workflow_id uuid, p_request jsonb, p_failure text)
returns table (run_id uuid, act text)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_open     uuid[];
    v_run      uuid;
    v_outcome  text := 'failed';
    v_reason   text := p_failure;
begin
    if exists (select 1 from firings f where f.schedule_id = p_schedule.schedule_id and f.due_at = p_due_at and not f.is_by_hand) then
        return;
    end if;
    v_open := array(select r.run_id from runs r
                     where r.finished_at is null
                       and exists (select 1 from firings f where f.run_id = r.run_id and f.schedule_id = p_schedule.schedule_id)
                     order by r.run_id);
    if v_open <> '{}' and p_schedule.overlap = 'skip' then
        v_outcome := 'skipped';
        v_reason := format('run %s has not ended', v_open[1]);
    elsif v_reason is null then
        begin
            v_run := (fn_create_run(p_workflow_id, p_request, 'schedule:' || p_schedule.name)).run_id;
            v_outcome := 'fired';
        exception when sqlstate 'CR001' or sqlstate 'CR002' then
            v_reason := sqlerrm;
        end;
    end if;
    if v_outcome = 'fired' and p_schedule.overlap = 'cancel_previous' then
        return query select (fn_cancel_run(o.run_id, 'schedule:' || p_schedule.name)).run_id, 'cancel' from unnest(v_open) as o (run_id);
    end if;
    insert into firings (firing_id, schedule_id, due_at, outcome, reason, run_id, recorded_at)
    values (fn_uuid7(), p_schedule.schedule_id, p_due_at, v_outcome, v_reason, v_run, fn_now());
    if v_outcome = 'fired' then
        update schedules s set last_fired_at = p_due_at where s.schedule_id = p_schedule.schedule_id;
        return query select v_run, 'create';
    elsif v_outcome = 'failed' then
        perform fn_notify('schedule.failed', p_schedule.schedule_id::text, jsonb_build_object('schedule', jsonb_build_object(
            'schedule_id', p_schedule.schedule_id, 'name', p_schedule.name, 'due_at', p_due_at, 'reason', v_reason)));
    end if;
end $$;
