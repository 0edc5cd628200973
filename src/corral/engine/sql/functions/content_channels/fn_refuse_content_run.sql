-- Do without the run that was due on a new video, and say why. Called by fn_start_content_run and upkeep. Locks the video's row.
create or replace function corral.fn_refuse_content_run(p_youtube_channel_id text, p_youtube_video_id text, p_message text) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    update content_channel_videos v set is_run_due = false, run_at = fn_now(), run_error = left(p_message, 1000)
      from content_channels c
     where c.youtube_channel_id = p_youtube_channel_id and v.content_channel_id = c.content_channel_id
       and v.youtube_video_id = p_youtube_video_id and v.is_run_due
$$;
