-- Take the locks that the end of a session needs, in the one order in which everybody takes them: its run, then itself.
create or replace function corral.fn_lock_device_session(p_session_id uuid) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    perform 1 from runs r
      where r.run_id = (select s.run_id from device_sessions s where s.session_id = p_session_id) for no key update;
    perform 1 from device_sessions s where s.session_id = p_session_id for no key update;
end $$;
