-- How many contents were new in each hour of a window, empty hours included, oldest first: registered by somebody, or found by a
-- channel after its first sync. Raises CR002 unless the window is between an hour and 31 days.
create or replace function corral.fn_list_content_hours(p_window interval) returns table (hour timestamptz, contents integer)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_since  timestamptz := date_trunc('hour', fn_now() - p_window + interval '1 hour');
begin
    if p_window is null or p_window < interval '1 hour' or p_window > interval '31 days' then
        raise exception 'a window is between an hour and 31 days long' using errcode = 'CR002', detail = 'window';
    end if;
    return query
    select h.hour, coalesce(n.contents, 0)
      from generate_series(v_since, date_trunc('hour', fn_now()), interval '1 hour') as h (hour)
      left join (select date_trunc('hour', c.created_at) as hour, count(*)::integer as contents
                   from contents c
                  where c.created_at >= v_since
                    and not (c.created_by = 'sync' and exists (select 1 from content_channel_videos v
                                                                where v.youtube_video_id = c.youtube_video_id and v.is_backlog))
                  group by 1) n on n.hour = h.hour
     order by h.hour;
end $$;
