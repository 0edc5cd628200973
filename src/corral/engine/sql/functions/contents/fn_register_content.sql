-- Register a video at somebody's word; one that is registered already stays as it is. p_video is what fn_read_content reads.
-- Returns whether it is new. Its picture is then due. Locks nothing that others hold.
create or replace function corral.fn_register_content(p_video jsonb, p_actor text) returns boolean
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_new   contents := fn_read_content(p_video);
    v_made  uuid;
begin
    insert into contents (content_id, youtube_video_id, content_channel_id, title, youtube_channel_id, channel_title, duration,
                          thumbnail_url, published_at, created_by, created_at, thumbnail_due_at)
    values (fn_uuid7(), v_new.youtube_video_id,
            (select v.content_channel_id from content_channel_videos v where v.youtube_video_id = v_new.youtube_video_id limit 1),
            v_new.title, v_new.youtube_channel_id, v_new.channel_title, v_new.duration, v_new.thumbnail_url, v_new.published_at,
            coalesce(p_actor, 'anonymous'), fn_now(), fn_now())
    on conflict (youtube_video_id) do nothing
    returning content_id into v_made;
    if v_made is null then
        return false;
    end if;
    perform fn_record_audit(p_actor, 'content.register', v_new.youtube_video_id, jsonb_strip_nulls(jsonb_build_object('title', v_new.title)));
    return true;
end $$;
