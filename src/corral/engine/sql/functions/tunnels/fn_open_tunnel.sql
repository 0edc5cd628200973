-- The holder of a session wants a way to its phone's adb, and has one end of it at a server process. The node hears of it by its pull.
-- Locks the session. Raises CR001 not_found, CR003 conflict (no phone, a phone without adb, too many tunnels), CR004 forbidden (another
-- holds it).
create or replace function corral.fn_open_tunnel(p_session_id uuid, p_server_id uuid, p_secret text, p_actor text)
returns table (tunnel_id uuid, session_id uuid, node_id text, left_s double precision)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    c_most     constant integer := 16;
    v_session  device_sessions;
    v_state    device_session_states;
    v_tunnel   uuid := fn_uuid7();
begin
    select s.* into v_session from device_sessions s where s.session_id = p_session_id for no key update;
    perform fn_check_holder(v_session, p_session_id, p_actor);
    select v.* into v_state from device_session_states v where v.session_id = p_session_id;
    if v_state.state <> 'active' or v_state.expires_at <= fn_now() then
        raise exception 'session % has no phone: it is %', p_session_id,
              case v_state.state when 'active' then 'expired' else v_state.state end using errcode = 'CR003', detail = 'session_id';
    elsif not v_state.has_adb then
        raise exception 'the phone of session % has no adb: its node reaches it another way', p_session_id
              using errcode = 'CR003', detail = 'session_id';
    elsif (select count(*) from tunnels t where t.session_id = p_session_id) >= c_most then
        raise exception 'session % has % tunnels open, which are all that it may have', p_session_id, c_most
              using errcode = 'CR003', detail = 'session_id';
    end if;
    insert into tunnels (tunnel_id, session_id, lease_token, node_id, server_id, secret, created_at)
    values (v_tunnel, p_session_id, v_state.lease_token, v_state.device ->> 'node_id', p_server_id, p_secret, fn_now());
    return query select v_tunnel, p_session_id, v_state.device ->> 'node_id', extract(epoch from v_state.expires_at - fn_now())::double precision;
end $$;
