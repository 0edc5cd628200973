-- New videos on which a run is due, oldest first, for fn_start_content_run; run is {} where the channel has changed its mind since.
-- Called by upkeep.
create or replace function corral.fn_list_due_content_runs(p_limit integer default 100)
returns table (youtube_channel_id text, youtube_video_id text, title text, run jsonb)
language sql stable
set search_path = corral, pg_catalog
as $$
    select n.youtube_channel_id, v.youtube_video_id, c.title, coalesce(n.run_request, '{}')
      from content_channel_videos v
      join content_channels n on n.content_channel_id = v.content_channel_id
      left join contents c on c.youtube_video_id = v.youtube_video_id
     where v.is_run_due
     order by v.found_at, c.published_at nulls first, v.youtube_video_id
     limit p_limit
$$;
