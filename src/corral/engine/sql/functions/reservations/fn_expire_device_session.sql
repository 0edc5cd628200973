-- End a session that was not renewed in time. Called by upkeep, and by whoever carries a holder's words: the first one counts. Judges
-- nobody's node, so it is not suspended after an outage. Locks the run, then the session. Returns the run to be cancelled, if any.
create or replace function corral.fn_expire_device_session(p_session_id uuid) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_state  device_session_states;
begin
    perform fn_lock_device_session(p_session_id);
    select v.* into v_state from device_session_states v where v.session_id = p_session_id;
    if v_state.session_id is null or v_state.state = 'ended' or v_state.expires_at > fn_now() then
        return null;
    end if;
    return fn_end_device_session(
        p_session_id, 'expired',
        case v_state.state when 'waiting' then format('no phone was found, and nobody renewed it for %s s', v_state.ttl_s)
                           else format('nobody renewed it for %s s', v_state.ttl_s) end, null);
end $$;
