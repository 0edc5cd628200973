-- Contents with the channel that found them, where their picture is, and how many runs they had.
create or replace view corral.content_states as
select c.content_id, c.youtube_video_id, c.title, c.youtube_channel_id, c.channel_title,
       extract(epoch from c.duration)::double precision as duration_s, c.thumbnail_url,
       case when t.content_id is not null then format('/api/contents/%s/thumbnail', c.youtube_video_id) end as thumbnail,
       c.published_at, n.youtube_channel_id as found_by, c.created_by, c.created_at,
       (select count(*)::integer from corral.runs r where r.youtube_video_id = c.youtube_video_id) as runs
  from corral.contents c
  left join corral.content_thumbnails t on t.content_id = c.content_id
  left join corral.content_channels n on n.content_channel_id = c.content_channel_id;
