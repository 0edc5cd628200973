-- Sync a channel as soon as may be. Raises CR001 not_found, CR003 conflict where it is paused.
create or replace function corral.fn_request_content_sync(p_youtube_channel_id text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_is_paused  boolean;
begin
    update content_channels c set next_sync_at = least(c.next_sync_at, fn_now())
     where c.youtube_channel_id = p_youtube_channel_id
    returning c.is_paused into v_is_paused;
    if not found then
        raise exception 'no content channel %', p_youtube_channel_id using errcode = 'CR001', detail = 'youtube_channel_id';
    elsif v_is_paused then
        raise exception 'content channel % is paused', p_youtube_channel_id using errcode = 'CR003';
    end if;
    perform fn_record_audit(p_actor, 'content_channel.sync', p_youtube_channel_id, null);
end $$;
