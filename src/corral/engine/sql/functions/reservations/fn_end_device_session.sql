-- End a live session and ask for its run to be cancelled. Called with the locks of fn_lock_device_session. Returns the run.
create or replace function corral.fn_end_device_session(p_session_id uuid, p_end_reason text, p_message text, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_run  uuid;
begin
    update device_sessions s
       set ended_at = fn_now(), end_reason = p_end_reason, end_message = nullif(trim(p_message), ''), ended_by = p_actor
     where s.session_id = p_session_id
    returning s.run_id into v_run;
    delete from session_inputs i where i.session_id = p_session_id;
    update runs r
       set cancel_requested_at = fn_now(), cancel_requested_by = p_actor
     where r.run_id = v_run and r.finished_at is null and r.cancel_requested_at is null;
    if p_actor is not null then
        perform fn_record_audit(p_actor, case p_end_reason when 'forced' then 'session.force' else 'session.release' end,
                                p_session_id::text,
                                jsonb_strip_nulls(jsonb_build_object('run_id', v_run, 'reason', nullif(trim(p_message), ''))));
    end if;
    return v_run;
end $$;
