-- A video as a row, from what YouTube told of it: {youtube_video_id, title, youtube_channel_id, channel_title, duration_s, thumbnail_url,
-- published_at}. Called by fn_register_content and fn_finish_content_sync.
create or replace function corral.fn_read_content(p_video jsonb) returns corral.contents
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_row  contents;
begin
    v_row.youtube_video_id := p_video ->> 'youtube_video_id';
    v_row.title := p_video ->> 'title';
    v_row.youtube_channel_id := p_video ->> 'youtube_channel_id';
    v_row.channel_title := p_video ->> 'channel_title';
    v_row.duration := make_interval(secs => (p_video ->> 'duration_s')::double precision);
    v_row.thumbnail_url := p_video ->> 'thumbnail_url';
    v_row.published_at := (p_video ->> 'published_at')::timestamptz;
    return v_row;
end $$;
