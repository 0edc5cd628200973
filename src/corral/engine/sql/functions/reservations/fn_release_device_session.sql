-- End a session by somebody's word: its holder's, or another's who gives a reason (forced). Nothing may be done under it from here on;
-- its phone is free when its node has stopped, which it is asked to as any cancelled job. One that has ended is left as it is.
-- Locks the run, then the session. Raises CR001 not_found, CR002 invalid_request (no reason). Returns the run to be cancelled, if any.
create or replace function corral.fn_release_device_session(p_session_id uuid, p_reason text, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_session  device_sessions;
begin
    perform fn_lock_device_session(p_session_id);
    select s.* into v_session from device_sessions s where s.session_id = p_session_id;
    if v_session.session_id is null then
        raise exception 'no session %', p_session_id using errcode = 'CR001', detail = 'session_id';
    elsif v_session.ended_at is not null then
        return null;
    elsif v_session.holder is distinct from p_actor and coalesce(trim(p_reason), '') = '' then
        raise exception 'session % is held by %: releasing it needs a reason', p_session_id, v_session.holder
              using errcode = 'CR002', detail = 'reason';
    end if;
    return fn_end_device_session(
        p_session_id, case when v_session.holder is distinct from p_actor then 'forced' else 'released' end, p_reason, p_actor);
end $$;
