-- Store a schedule. p_body holds name, workflow_name, cron, time_zone, run_request, secret_params, overlap, catch_up, catch_up_limit,
-- is_paused; whoever calls has checked the times and the run's params, and says when it first fires (null while it is paused).
-- Locks nothing that others hold. Raises CR003 conflict where the name is taken, CR002 invalid_request from fn_check_run_request.
create or replace function corral.fn_create_schedule(p_body jsonb, p_next_fire_at timestamptz, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now  timestamptz := fn_now();
    v_id   uuid;
begin
    perform fn_check_run_request(p_body -> 'run_request');
    insert into schedules (schedule_id, name, workflow_name, cron, time_zone, run_request, overlap, catch_up, catch_up_limit,
                           is_paused, next_fire_at, created_by, created_at, updated_at)
    values (fn_uuid7(), p_body ->> 'name', p_body ->> 'workflow_name', p_body ->> 'cron', p_body ->> 'time_zone',
            p_body -> 'run_request', p_body ->> 'overlap', p_body ->> 'catch_up', (p_body ->> 'catch_up_limit')::integer,
            (p_body ->> 'is_paused')::boolean, p_next_fire_at, p_actor, v_now, v_now)
    on conflict (name) do nothing
    returning schedule_id into v_id;
    if v_id is null then
        raise exception 'there is already a schedule %', p_body ->> 'name' using errcode = 'CR003', detail = 'name';
    end if;
    if p_body -> 'secret_params' <> '{}' then
        insert into schedule_secrets (schedule_id, params) values (v_id, p_body -> 'secret_params');
    end if;
    perform fn_record_audit(p_actor, 'schedule.create', v_id::text, jsonb_build_object(
        'name', p_body -> 'name', 'workflow', p_body -> 'workflow_name', 'cron', p_body -> 'cron', 'time_zone', p_body -> 'time_zone'));
    return v_id;
end $$;
