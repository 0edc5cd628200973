-- What runs may be tied to, and when they start by themselves.

create table corral.content_channels (
    content_channel_id  uuid primary key,
    youtube_channel_id  text not null unique,
    title               text,
    sync_every          interval not null default '3 minutes' check (sync_every >= '1 minute'),
    is_paused           boolean not null default false,
    last_synced_at      timestamptz,
    next_sync_at        timestamptz,
    last_error_message  text,
    created_at          timestamptz not null
);

create table corral.contents (
    content_id          uuid primary key,
    youtube_video_id    text not null unique check (youtube_video_id ~ '^[A-Za-z0-9_-]{11}$'),
    content_channel_id  uuid references corral.content_channels on delete set null,
    title               text,
    channel_title       text,
    duration            interval,
    thumbnail_url       text,
    published_at        timestamptz,
    created_at          timestamptz not null
);

create table corral.schedules (
    schedule_id    uuid primary key,
    name           text not null unique,
    workflow_name  text not null,
    cron           text not null,
    time_zone      text not null default 'UTC',
    run_request    jsonb not null check (jsonb_typeof(run_request) = 'object'),
    is_paused      boolean not null default false,
    next_fire_at   timestamptz,
    last_fired_at  timestamptz,
    created_by     text,
    created_at     timestamptz not null
);
