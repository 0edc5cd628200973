-- Keep a content's picture; one that is there stays. A content that was deleted meanwhile needs none. Called by upkeep.
create or replace function corral.fn_store_thumbnail(p_youtube_video_id text, p_content_type text, p_content bytea) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_content_id  uuid;
begin
    update contents c set thumbnail_due_at = null where c.youtube_video_id = p_youtube_video_id returning c.content_id into v_content_id;
    if v_content_id is not null then
        insert into content_thumbnails (content_id, content_type, sha256, content)
        values (v_content_id, p_content_type, encode(sha256(p_content), 'hex'), p_content)
        on conflict (content_id) do nothing;
    end if;
end $$;
