-- Start the run that is due on a new video, in the transaction that marks it as started: exactly once, whoever dies when. Where the
-- channel started its cap of runs within the last 24 hours, the video's is refused for good, visibly. p_request is fn_create_run's.
-- Returns the run, null where none was started. Called by upkeep. Locks the channel, then the video's row.
-- Raises what fn_create_run raises.
create or replace function corral.fn_start_content_run(p_youtube_channel_id text, p_youtube_video_id text, p_workflow_id uuid, p_request jsonb)
returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_channel  content_channels;
    v_run      runs;
begin
    select c.* into v_channel from content_channels c where c.youtube_channel_id = p_youtube_channel_id for update;
    perform 1 from content_channel_videos v
      where v.content_channel_id = v_channel.content_channel_id and v.youtube_video_id = p_youtube_video_id and v.is_run_due for update;
    if not found then
        return null;
    end if;
    if (select count(*) from content_channel_videos v
         where v.content_channel_id = v_channel.content_channel_id and v.run_at > fn_now() - interval '24 hours' and v.run_id is not null)
       >= v_channel.run_cap then
        perform fn_refuse_content_run(p_youtube_channel_id, p_youtube_video_id,
                                      format('the channel had its %s runs within 24 hours', v_channel.run_cap));
        return null;
    end if;
    v_run := fn_create_run(p_workflow_id, p_request || jsonb_build_object(
        'youtube_video_id', p_youtube_video_id, 'source_type', 'content_channel', 'source_id', p_youtube_channel_id),
        coalesce(v_channel.created_by, 'sync'));
    update content_channel_videos v set is_run_due = false, run_id = v_run.run_id, run_at = fn_now(), run_error = null
     where v.content_channel_id = v_channel.content_channel_id and v.youtube_video_id = p_youtube_video_id;
    return v_run.run_id;
end $$;
