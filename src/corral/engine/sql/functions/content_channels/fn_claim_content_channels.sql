-- Channels whose sync is due, for this caller alone: each under a fresh token, by which its result is known. Whoever dies with one loses
-- it after two minutes. Called by upkeep. Locks the channels, skipping those that others hold.
create or replace function corral.fn_claim_content_channels(p_limit integer default 4)
returns table (youtube_channel_id text, sync_token uuid, etag text, last_modified text)
language sql volatile
set search_path = corral, pg_catalog
as $$
    update content_channels c
       set sync_token = gen_random_uuid(), next_sync_at = fn_now() + interval '2 minutes'
     where c.content_channel_id in (select d.content_channel_id from content_channels d
                                     where not d.is_paused and d.next_sync_at <= fn_now()
                                     order by d.next_sync_at limit p_limit for no key update skip locked)
    returning c.youtube_channel_id, c.sync_token, c.etag, c.last_modified
$$;
