-- Live sessions that were not renewed in time, for upkeep to end. Reads the live ones, and the job of each by key.
create or replace function corral.fn_list_expired_device_sessions() returns setof uuid
language sql stable
set search_path = corral, pg_catalog
as $$
    select v.session_id from device_session_states v where v.ended_at is null and v.expires_at <= fn_now() order by v.session_id
$$;
