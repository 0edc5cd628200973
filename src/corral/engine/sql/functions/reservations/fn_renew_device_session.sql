-- Let a session go on for its ttl from now, or for another. Its holder's to ask, before it has expired.
-- Locks the session. Raises CR001 not_found, CR003 conflict (it has ended or expired), CR004 forbidden (another holds it).
create or replace function corral.fn_renew_device_session(p_session_id uuid, p_ttl interval, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_session  device_sessions;
begin
    select s.* into v_session from device_sessions s where s.session_id = p_session_id for no key update;
    perform fn_check_holder(v_session, p_session_id, p_actor);
    if exists (select 1 from device_session_states v where v.session_id = p_session_id and v.expires_at <= fn_now()) then
        raise exception 'session % has expired', p_session_id using errcode = 'CR003', detail = 'session_id';
    end if;
    update device_sessions s
       set renewed_at = fn_now(), ttl = coalesce(p_ttl, s.ttl)
     where s.session_id = p_session_id;
end $$;
