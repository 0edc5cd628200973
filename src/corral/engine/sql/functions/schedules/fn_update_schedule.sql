-- Store a schedule anew, as fn_create_schedule takes it, if it is still at p_revision: whoever changes it has read it before.
-- p_next_fire_at is when it fires next; what was due before that and did not fire is forgotten.
-- Locks the schedule. Raises CR001 not_found, CR003 conflict (somebody else changed it, or the name is taken), CR002 invalid_request
-- from fn_check_run_request.
create or replace function corral.fn_update_schedule(
    p_schedule_id uuid, p_revision integer, p_body jsonb, p_next_fire_at timestamptz, p_actor text)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_old  schedules;
begin
    select s.* into v_old from schedules s where s.schedule_id = p_schedule_id for no key update;
    if v_old.schedule_id is null then
        raise exception 'no schedule %', p_schedule_id using errcode = 'CR001', detail = 'schedule_id';
    elsif v_old.revision <> p_revision then
        raise exception 'schedule % was changed meanwhile: look at it again', v_old.name using errcode = 'CR003';
    elsif exists (select 1 from schedules s where s.name = p_body ->> 'name' and s.schedule_id <> p_schedule_id) then
        raise exception 'there is already a schedule %', p_body ->> 'name' using errcode = 'CR003', detail = 'name';
    end if;
    perform fn_check_run_request(p_body -> 'run_request');
    update schedules s
       set name = p_body ->> 'name', workflow_name = p_body ->> 'workflow_name', cron = p_body ->> 'cron',
           time_zone = p_body ->> 'time_zone', run_request = p_body -> 'run_request', overlap = p_body ->> 'overlap',
           catch_up = p_body ->> 'catch_up', catch_up_limit = (p_body ->> 'catch_up_limit')::integer,
           is_paused = (p_body ->> 'is_paused')::boolean, next_fire_at = p_next_fire_at, revision = s.revision + 1,
           updated_at = fn_now()
     where s.schedule_id = p_schedule_id;
    delete from schedule_secrets c where c.schedule_id = p_schedule_id;
    if p_body -> 'secret_params' <> '{}' then
        insert into schedule_secrets (schedule_id, params) values (p_schedule_id, p_body -> 'secret_params');
    end if;
    perform fn_record_audit(
        p_actor,
        case when v_old.is_paused = (p_body ->> 'is_paused')::boolean then 'schedule.update'
             when v_old.is_paused then 'schedule.resume' else 'schedule.pause' end,
        p_schedule_id::text,
        jsonb_build_object('name', p_body -> 'name', 'workflow', p_body -> 'workflow_name', 'cron', p_body -> 'cron',
                           'time_zone', p_body -> 'time_zone'));
end $$;
