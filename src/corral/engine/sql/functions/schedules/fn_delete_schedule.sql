-- Delete a schedule with what is remembered of its firings; its runs stay, and go on. Locks the schedule. Raises CR001 not_found.
create or replace function corral.fn_delete_schedule(p_schedule_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_name  text;
begin
    delete from schedules s where s.schedule_id = p_schedule_id returning s.name into v_name;
    if v_name is null then
        raise exception 'no schedule %', p_schedule_id using errcode = 'CR001', detail = 'schedule_id';
    end if;
    perform fn_record_audit(p_actor, 'schedule.delete', p_schedule_id::text, jsonb_build_object('name', v_name));
end $$;
