-- What people have looked at, and what the dashboard needs to find without reading the farm's whole history.

alter table corral.runs
    add column reviewed_at  timestamptz,
    add column reviewed_by  text;
comment on column corral.runs.reviewed_at is 'When somebody looked at a run that went wrong; until then it is a to-do.';
create index runs_unreviewed on corral.runs (finished_at)
    where reviewed_at is null and status in ('failed', 'completed_with_errors');
create index runs_by_creation on corral.runs (created_at);

create index devices_quarantined on corral.devices (device_id) where health = 'quarantined';

-- Leases that a device lost to a silent or rebooted node. Apart from leases, because an index there on how a lease ended
-- would make the end of every lease rewrite all indexes.
create table corral.lost_leases (
    device_id  uuid not null,
    node_id    text not null,
    ending     text not null check (ending in ('expired', 'rebooted')),
    at         timestamptz not null
);
create index lost_leases_by_time on corral.lost_leases (at);
