-- What a holder does to the screen of the phone, kept until its node has taken it. Numbered under the session's lock, so that their order
-- is the order of commits. What a node did not take within input_patience is forgotten: a tap that comes late hits something else.
-- Locks the session. Raises CR001 not_found, CR003 conflict (not active, or too many not yet taken), CR004 forbidden (another holds it).
-- Returns the node that has the phone.
create or replace function corral.fn_send_device_input(p_session_id uuid, p_input jsonb, p_actor text) returns text
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    c_most     constant integer := 200;
    v_session  device_sessions;
    v_state    device_session_states;
    v_count    bigint;
begin
    select s.* into v_session from device_sessions s where s.session_id = p_session_id for no key update;
    perform fn_check_holder(v_session, p_session_id, p_actor);
    select v.* into v_state from device_session_states v where v.session_id = p_session_id;
    if v_state.state <> 'active' or v_state.expires_at <= fn_now() then
        raise exception 'session % has no phone: it is %', p_session_id,
              case v_state.state when 'active' then 'expired' else v_state.state end using errcode = 'CR003', detail = 'session_id';
    end if;
    delete from session_inputs i where i.session_id = p_session_id and i.created_at <= fn_now() - fn_input_patience();
    select count(*) into v_count from session_inputs i where i.session_id = p_session_id;
    if v_count >= c_most then
        raise exception '% inputs wait for the node: send them more slowly', v_count using errcode = 'CR003', detail = 'session_id';
    end if;
    update device_sessions s set input_seq = s.input_seq + 1 where s.session_id = p_session_id returning s.* into v_session;
    insert into session_inputs (session_id, seq, input, created_at) values (p_session_id, v_session.input_seq, p_input, fn_now());
    return v_state.device ->> 'node_id';
end $$;
