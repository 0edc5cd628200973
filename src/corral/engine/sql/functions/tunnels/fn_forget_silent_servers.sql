-- Forget server processes that were not heard of for p_silent, and the tunnels whose holders' ends they had. Called by upkeep.
-- Returns how many servers there were.
create or replace function corral.fn_forget_silent_servers(p_silent interval) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_count  integer;
begin
    delete from servers s where s.seen_at < fn_now() - p_silent;
    get diagnostics v_count = row_count;
    delete from tunnels t
     where t.created_at < fn_now() - p_silent and not exists (select 1 from servers s where s.server_id = t.server_id);
    return v_count;
end $$;
