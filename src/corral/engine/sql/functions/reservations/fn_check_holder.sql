-- Refuse what only the holder of a live session may do. Called with the session's row locked, or null where there is none.
-- Raises CR001 not_found, CR003 conflict (it has ended), CR004 forbidden (another holds it).
create or replace function corral.fn_check_holder(p_session corral.device_sessions, p_session_id uuid, p_actor text) returns void
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    if p_session.session_id is null then
        raise exception 'no session %', p_session_id using errcode = 'CR001', detail = 'session_id';
    elsif p_session.holder is distinct from p_actor then
        raise exception 'session % is held by %', p_session_id, p_session.holder using errcode = 'CR004', detail = 'session_id';
    elsif p_session.ended_at is not null then
        raise exception 'session % has ended: %', p_session_id, p_session.end_reason using errcode = 'CR003', detail = 'session_id';
    end if;
end $$;
