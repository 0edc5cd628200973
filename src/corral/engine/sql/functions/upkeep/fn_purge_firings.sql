-- Forget what became of due times before p_before, at most p_limit a call; of each schedule the last is kept.
create or replace function corral.fn_purge_firings(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_gone  integer;
begin
    delete from firings f
     where f.firing_id = any (array(
               select o.firing_id from firings o
                where o.recorded_at < p_before
                  and exists (select 1 from firings n where n.schedule_id = o.schedule_id and (n.due_at, n.firing_id) > (o.due_at, o.firing_id))
                limit coalesce(p_limit, 10000)));
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
