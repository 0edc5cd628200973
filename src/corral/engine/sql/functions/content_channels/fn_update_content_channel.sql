-- Change how a channel is synced and what is run on its new videos; p_change may hold sync_every_s, is_paused, run (null: nothing any
-- more) and run_cap, and what it does not hold stays. Videos that were found before are not run on. Resuming and a shorter rhythm count
-- from now. Locks the channel. Raises CR001 not_found,
-- CR002 invalid_request with the path.
create or replace function corral.fn_update_content_channel(p_youtube_channel_id text, p_change jsonb, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_channel  content_channels;
begin
    perform fn_check_content_run(p_change -> 'run');
    select c.* into v_channel from content_channels c where c.youtube_channel_id = p_youtube_channel_id for update;
    if v_channel.content_channel_id is null then
        raise exception 'no content channel %', p_youtube_channel_id using errcode = 'CR001', detail = 'youtube_channel_id';
    end if;
    if p_change ? 'sync_every_s' then
        v_channel.sync_every := make_interval(secs => (p_change ->> 'sync_every_s')::double precision);
    end if;
    update content_channels c
       set sync_every = v_channel.sync_every,
           next_sync_at = case when (p_change ->> 'is_paused')::boolean is false and c.is_paused then fn_now()
                               else least(c.next_sync_at, fn_now() + v_channel.sync_every) end,
           is_paused = coalesce((p_change ->> 'is_paused')::boolean, c.is_paused),
           run_request = case when p_change ? 'run' then nullif(p_change -> 'run', 'null') else c.run_request end,
           run_cap = coalesce((p_change ->> 'run_cap')::integer, c.run_cap)
     where c.content_channel_id = v_channel.content_channel_id;
    perform fn_record_audit(p_actor, 'content_channel.update', p_youtube_channel_id, p_change #- '{run,params}');
end $$;
