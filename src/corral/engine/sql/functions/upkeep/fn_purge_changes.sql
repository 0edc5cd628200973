-- Forget changes that streams were told of before p_before, at most p_limit a call; the last one stays, so that a quiet stream can be
-- resumed. What another cluster wrote, whose copy this database is, lies in the future, and goes too. Returns how many went.
create or replace function corral.fn_purge_changes(p_before timestamptz, p_limit integer default 10000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_end   bigint := (select e.change_id from fn_find_stream_end() e);
    v_next  bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
    v_gone  integer;
begin
    delete from changes c
     where c.ctid = any (array(
               select o.ctid from changes o
                where o.at < p_before and o.change_id <> v_end order by o.written_by, o.change_id limit coalesce(p_limit, 10000)))
        or c.written_by > v_next;
    get diagnostics v_gone = row_count;
    return v_gone;
end $$;
