-- Content channels: how their sync goes, how many contents they brought, what is run on new ones and how that went.
create or replace view corral.content_channel_states as
select n.content_channel_id, n.youtube_channel_id, n.title, n.handle, extract(epoch from n.sync_every)::double precision as sync_every_s,
       n.is_paused, n.last_synced_at, n.next_sync_at, n.sync_failures, n.last_error_message, n.last_error_at,
       (select count(*)::integer from corral.contents c where c.content_channel_id = n.content_channel_id) as contents,
       n.run_request as run, n.run_cap,
       (select count(*)::integer from corral.content_channel_videos v
         where v.content_channel_id = n.content_channel_id and v.run_id is not null) as runs_started,
       (select v.run_error from corral.content_channel_videos v
         where v.content_channel_id = n.content_channel_id and v.run_at is not null
         order by v.run_at desc limit 1) as last_run_error,
       n.created_by, n.created_at
  from corral.content_channels n;
