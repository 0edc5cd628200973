-- What changed after a place in the stream and up to another (null: up to now), in order, at most p_limit rows. Called by streams.
create or replace function corral.fn_list_changes(
    p_after_written_by bigint, p_after_change_id bigint, p_until_written_by bigint, p_until_change_id bigint, p_limit integer)
returns table (written_by bigint, change_id bigint, topic text, object_id text, is_gone boolean)
language sql stable
set search_path = corral, pg_catalog
as $$
    select c.written_by, c.change_id, c.topic, c.object_id, c.is_gone
      from changes c
     where (c.written_by, c.change_id) > (p_after_written_by, p_after_change_id)
       and c.written_by < fn_stream_horizon()
       and (p_until_written_by is null or (c.written_by, c.change_id) <= (p_until_written_by, p_until_change_id))
     order by c.written_by, c.change_id
     limit p_limit
$$;
