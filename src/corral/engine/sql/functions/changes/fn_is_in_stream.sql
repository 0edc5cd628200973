-- Whether a stream can go on behind this place: whether the change that was told last is still there, and all behind it with it.
-- A place of another cluster, whose copy this database is, may lie in this one's future: that is none.
create or replace function corral.fn_is_in_stream(p_written_by bigint, p_change_id bigint) returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$
    select p_written_by < fn_stream_horizon()
           and exists (select 1 from changes c where c.written_by = p_written_by and c.change_id = p_change_id)
$$;
