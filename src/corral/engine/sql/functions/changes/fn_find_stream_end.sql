-- The last place in the stream that can be read now; (0, 0) where nothing was ever written. Called by streams that begin.
create or replace function corral.fn_find_stream_end() returns table (written_by bigint, change_id bigint)
language sql stable
set search_path = corral, pg_catalog
as $$
    select e.written_by, e.change_id
      from (select c.written_by, c.change_id from changes c
             where c.written_by < fn_stream_horizon()
             order by c.written_by desc, c.change_id desc limit 1) e
    union all
    select 0, 0
     order by 1 desc
     limit 1
$$;
