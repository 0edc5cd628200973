-- Let a schedule's due times happen, and move it on to p_next_at, in one transaction: whatever crashes, a due time is written down
-- with its run or not at all, and is not lost. p_revision and p_due_at say what the caller saw: where the schedule was changed, paused or
-- moved on since, by another server perhaps, nothing happens. p_firings lists {due_at, outcome: fired | missed, times, reason}, oldest
-- first; each that is to be fired asks the overlap policy about the runs of earlier ones that have not ended. p_request asks for the run
-- of p_workflow_id (fn_create_run); p_failure says why there can be none.
-- Called by upkeep, on any number of servers. Locks the schedule, then runs that it cancels. Returns a row for each run that was created
-- and each that is to be cancelled.
create or replace function corral.fn_fire_schedule(
    p_schedule_id uuid, p_revision integer, p_due_at timestamptz, p_firings jsonb, p_next_at timestamptz, p_workflow_id uuid,
    p_request jsonb, p_failure text)
returns table (run_id uuid, act text)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_schedule  schedules;
    v_firing    jsonb;
begin
    select s.* into v_schedule
      from schedules s
     where s.schedule_id = p_schedule_id and s.revision = p_revision and s.next_fire_at = p_due_at and not s.is_paused
       for no key update;
    if v_schedule.schedule_id is null then
        return;
    end if;
    for v_firing in select f.body from jsonb_array_elements(p_firings) with ordinality as f (body, place) order by f.place loop
        if v_firing ->> 'outcome' = 'fired' then
            return query select f.run_id, f.act
                           from fn_fire_once(v_schedule, (v_firing ->> 'due_at')::timestamptz, p_workflow_id, p_request, p_failure) f;
        else
            insert into firings (firing_id, schedule_id, due_at, outcome, times, reason, recorded_at)
            values (fn_uuid7(), p_schedule_id, (v_firing ->> 'due_at')::timestamptz, v_firing ->> 'outcome',
                    coalesce((v_firing ->> 'times')::integer, 1), v_firing ->> 'reason', fn_now())
            on conflict do nothing;
        end if;
    end loop;
    update schedules s set next_fire_at = p_next_at where s.schedule_id = p_schedule_id;
end $$;
