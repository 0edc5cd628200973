-- A device's story: its jobs over all runs, how it was, and what became of its health.

alter table corral.settings add column sample_every interval not null default '10 minutes' check (sample_every >= '0 s');
comment on column corral.settings.sample_every is 'A device''s battery and temperature are written down at most so often.';

-- The jobs of one device, newest first. None of the columns changes after a job has its device, so starts and finishes stay in place.
create index jobs_of_device on corral.jobs (device_id, position) where device_id is not null;

create table corral.device_samples (
    device_id    uuid not null,
    at           timestamptz not null,
    battery      integer,
    temperature  real,
    primary key (device_id, at)
);
create index device_samples_by_time on corral.device_samples using brin (at) with (pages_per_range = 32);
comment on table corral.device_samples is 'Appended when a value differs from the last one written, at most once in settings.sample_every.';

create table corral.health_changes (
    device_id   uuid not null,
    at          timestamptz not null,
    health      text not null check (health in ('ok', 'suspect', 'quarantined')),
    reason      text,
    changed_by  text not null,
    primary key (device_id, at)
);
create index health_changes_by_time on corral.health_changes (at);
comment on table corral.health_changes is 'Appended when a device''s health changes. changed_by is the operator, or node:<id>.';

-- Screens that somebody looks at now, and what they last showed. Unlogged: neither is worth anything after a crash.
create unlogged table corral.device_watches (
    device_id    uuid primary key,
    watch_until  timestamptz not null
);

create unlogged table corral.device_pictures (
    device_id      uuid primary key,
    stored_at      timestamptz not null,
    content_type   text,
    content        bytea,
    error_message  text,
    constraint device_pictures_show_or_tell check (num_nonnulls(content, error_message) = 1),
    constraint device_pictures_have_a_type check ((content is null) = (content_type is null))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50);
alter table corral.device_pictures alter column content set storage external;
comment on column corral.device_pictures.error_message is 'Why there is no picture: the phone gave none. Never both, never neither.';
