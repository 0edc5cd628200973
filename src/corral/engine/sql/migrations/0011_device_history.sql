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
