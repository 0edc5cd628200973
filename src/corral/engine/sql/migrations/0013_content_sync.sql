-- How channels are synced and what is run on their new videos; the pictures of contents.

alter table corral.content_channels
    add column handle         text,
    add column etag           text,
    add column last_modified  text,
    add column sync_token     uuid,
    add column sync_failures  integer not null default 0 check (sync_failures >= 0),
    add column last_error_at  timestamptz,
    add column run_request    jsonb check (jsonb_typeof(run_request) = 'object'),
    add column run_cap        integer not null default 10 check (run_cap between 1 and 1000),
    add column created_by     text,
    add constraint content_channels_have_ids check (youtube_channel_id ~ '^UC[A-Za-z0-9_-]{22}$'),
    add constraint content_channels_sync_within_a_day check (sync_every <= '1 day');
comment on column corral.content_channels.sync_token is 'Whose sync counts: a result under an older one came too late.';
comment on column corral.content_channels.run_request is 'What is run on each new video; null is nothing, as it is unless somebody says otherwise.';
create index content_channels_due on corral.content_channels (next_sync_at) where not is_paused;

alter table corral.contents
    add column youtube_channel_id  text,
    add column created_by          text,
    add column thumbnail_tries     integer not null default 0,
    add column thumbnail_due_at    timestamptz;
comment on column corral.contents.thumbnail_due_at is 'When to fetch its picture next; null once it is there, or was given up.';
create index contents_by_time on corral.contents (created_at desc, youtube_video_id desc);
create index contents_by_channel on corral.contents (content_channel_id, created_at desc);
create index contents_without_thumbnail on corral.contents (thumbnail_due_at) where thumbnail_due_at is not null;

create table corral.content_thumbnails (
    content_id    uuid primary key references corral.contents on delete cascade,
    content_type  text not null check (content_type in ('image/jpeg', 'image/png')),
    sha256        text not null,
    content       bytea not null check (octet_length(content) between 1 and 262144)
);

-- Every video that a channel ever showed, also when its content was deleted since: what is here is never new again.
create table corral.content_channel_videos (
    content_channel_id  uuid not null references corral.content_channels on delete cascade,
    youtube_video_id    text not null check (youtube_video_id ~ '^[A-Za-z0-9_-]{11}$'),
    found_at            timestamptz not null,
    is_backlog          boolean not null,
    is_run_due          boolean not null default false,
    run_id              uuid,
    run_at              timestamptz,
    run_error           text,
    primary key (content_channel_id, youtube_video_id),
    constraint content_channel_videos_run_once check (not (is_run_due and run_at is not null))
);
comment on column corral.content_channel_videos.is_backlog is 'Found by the channel''s first sync: there before anybody asked, so nothing is run on it.';
comment on column corral.content_channel_videos.run_at is 'When its run was started (run_id) or refused (run_error), once and for all.';
create index content_channel_videos_by_video on corral.content_channel_videos (youtube_video_id);
create index content_channel_videos_due on corral.content_channel_videos (found_at) where is_run_due;
create index content_channel_videos_by_run on corral.content_channel_videos (content_channel_id, run_at) where run_at is not null;

create index runs_by_video on corral.runs (youtube_video_id, created_at desc) where youtube_video_id is not null;
