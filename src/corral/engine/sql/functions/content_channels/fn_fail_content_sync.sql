-- Write down that a sync failed and why. The next try is ever later: the channel's rhythm doubled with each failure in a row, up to six
-- hours, and a little jitter. Returns false where the token is not the channel's latest. Called by upkeep. Locks the channel.
create or replace function corral.fn_fail_content_sync(p_youtube_channel_id text, p_sync_token uuid, p_message text) returns boolean
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update content_channels c
       set sync_failures = c.sync_failures + 1, last_error_message = left(p_message, 1000), last_error_at = fn_now(), sync_token = null,
           next_sync_at = fn_now() + (1 + random() * 0.2) * least(c.sync_every * (2 ^ least(c.sync_failures + 1, 10)),
                                                                   greatest(interval '6 hours', c.sync_every))
     where c.youtube_channel_id = p_youtube_channel_id and c.sync_token = p_sync_token;
    return found;
end $$;
