-- Forget a content and its picture; runs and artifacts of the video stay, and a channel that found it does not bring it back.
-- Raises CR001 not_found.
create or replace function corral.fn_delete_content(p_youtube_video_id text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    delete from contents c where c.youtube_video_id = p_youtube_video_id;
    if not found then
        raise exception 'no content %', p_youtube_video_id using errcode = 'CR001', detail = 'youtube_video_id';
    end if;
    perform fn_record_audit(p_actor, 'content.delete', p_youtube_video_id, null);
end $$;
