-- Sync a channel no more. The contents that it brought stay. Raises CR001 not_found.
create or replace function corral.fn_delete_content_channel(p_youtube_channel_id text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    delete from content_channels c where c.youtube_channel_id = p_youtube_channel_id;
    if not found then
        raise exception 'no content channel %', p_youtube_channel_id using errcode = 'CR001', detail = 'youtube_channel_id';
    end if;
    perform fn_record_audit(p_actor, 'content_channel.delete', p_youtube_channel_id, null);
end $$;
