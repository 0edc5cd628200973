-- Forget what agents told before p_before, with its keys, at most p_limit a call.
create or replace function corral.fn_purge_agent_events(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from agent_events e
     where e.ctid = any (array(select o.ctid from agent_events o where o.created_at < p_before limit coalesce(p_limit, 10000)));
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
