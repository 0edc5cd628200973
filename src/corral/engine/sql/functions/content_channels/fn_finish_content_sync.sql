-- Write down what a sync found: p_result holds title, etag, last_modified and videos (as fn_read_content reads them), null where nothing
-- had changed. A video is new once, whatever is repeated; a channel's first sync is its backlog, on which nothing is run.
-- Returns how many videos are new, null where the token is not the channel's latest: then nothing is changed.
-- Called by upkeep. Locks the channel.
create or replace function corral.fn_finish_content_sync(p_youtube_channel_id text, p_sync_token uuid, p_result jsonb) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_channel  content_channels;
    v_told     contents[];
    v_fresh    text[];
begin
    select c.* into v_channel from content_channels c
     where c.youtube_channel_id = p_youtube_channel_id and c.sync_token = p_sync_token for update;
    if v_channel.content_channel_id is null then
        return null;
    end if;
    if jsonb_typeof(p_result -> 'videos') = 'array' then
        v_told := array(select fn_read_content(v) from jsonb_array_elements(p_result -> 'videos') v);
    end if;

    with fresh as (
        insert into content_channel_videos (content_channel_id, youtube_video_id, found_at, is_backlog, is_run_due)
        select v_channel.content_channel_id, t.youtube_video_id, v_now, v_channel.last_synced_at is null,
               v_channel.last_synced_at is not null and v_channel.run_request is not null
          from unnest(v_told) t
        on conflict do nothing
        returning youtube_video_id
    )
    select coalesce(array_agg(f.youtube_video_id), '{}') into v_fresh from fresh f;

    -- Titles change, and somebody may have registered a video before its channel did.
    update contents c
       set content_channel_id = coalesce(c.content_channel_id, v_channel.content_channel_id), title = coalesce(t.title, c.title),
           channel_title = coalesce(t.channel_title, c.channel_title), duration = coalesce(t.duration, c.duration),
           youtube_channel_id = coalesce(t.youtube_channel_id, c.youtube_channel_id),
           thumbnail_url = coalesce(t.thumbnail_url, c.thumbnail_url), published_at = coalesce(t.published_at, c.published_at)
      from unnest(v_told) t where c.youtube_video_id = t.youtube_video_id;

    insert into contents (content_id, youtube_video_id, content_channel_id, title, youtube_channel_id, channel_title, duration,
                          thumbnail_url, published_at, created_by, created_at, thumbnail_due_at)
    select fn_uuid7(), t.youtube_video_id, v_channel.content_channel_id, t.title, t.youtube_channel_id, t.channel_title, t.duration,
           -- A microsecond apart, so that lists of the newest have what was published last first.
           t.thumbnail_url, t.published_at, 'sync',
           v_now + interval '1 microsecond' * row_number() over (order by t.published_at nulls first, t.youtube_video_id), v_now
      from (select distinct on (u.youtube_video_id) u.* from unnest(v_told) u) t
     where t.youtube_video_id = any (v_fresh)
    on conflict (youtube_video_id) do nothing;

    update content_channels c
       set title = coalesce(p_result ->> 'title', c.title), etag = p_result ->> 'etag', last_modified = p_result ->> 'last_modified',
           last_synced_at = v_now, next_sync_at = v_now + c.sync_every, sync_token = null, sync_failures = 0,
           last_error_message = null
     where c.content_channel_id = v_channel.content_channel_id;
    return cardinality(v_fresh);
end $$;
