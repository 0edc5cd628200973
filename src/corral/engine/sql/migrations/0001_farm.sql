-- The farm: settings, nodes, devices and their lanes.
-- A lane is one narrow, hot row per device: its mutex, its fence and the head of its FIFO.

create table corral.settings (
    is_only             boolean primary key default true check (is_only),
    lease_time          interval not null default '60 s' check (lease_time >= '1 s'),
    offline_grace       interval not null default '30 s',
    lost_grace          interval not null default '10 minutes',
    start_within        interval not null default '1 hour',
    deadline_slack      interval not null default '60 s',
    late_evidence       interval not null default '24 hours',
    scan_time           interval not null default '5 minutes',
    upkeep_gap          interval not null default '10 s',
    silence_limit       interval not null default '1 hour',
    silence_minimum     integer not null default 2 check (silence_minimum >= 1),
    log_lines_per_lease integer not null default 2000 check (log_lines_per_lease >= 0)
);
insert into corral.settings default values;

-- What upkeep knows between two ticks: whether verdicts may be passed (rule of trouble 1).
create table corral.upkeep (
    is_only            boolean primary key default true check (is_only),
    last_tick_at       timestamptz,
    verdicts_from      timestamptz,
    silence_since      timestamptz
);
insert into corral.upkeep default values;

-- lease_until carries no index: heartbeats change it, and an indexed column is never updated in place.
create table corral.nodes (
    node_id             text primary key check (node_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'),
    name                text not null,
    capabilities        text[] not null default '{}',
    labels              jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
    max_concurrency     integer not null default 20 check (max_concurrency between 0 and 10000),
    lookahead           integer not null default 20 check (lookahead between 0 and 10000),
    epoch               integer not null default 0,
    state_id            text,
    lease_until         timestamptz not null,
    former_lease_until  timestamptz,
    expired_at          timestamptz,
    version             text,
    meta                jsonb not null default '{}' check (jsonb_typeof(meta) = 'object'),
    draining            boolean not null default false,
    draining_since      timestamptz,
    registered_at       timestamptz not null,
    last_heartbeat_at   timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
comment on column corral.nodes.state_id is 'The agent''s state directory: registering from it again proves that the predecessor is dead.';
comment on column corral.nodes.former_lease_until is 'Until when leases of earlier epochs run, where no proof ended them at once.';
comment on column corral.nodes.expired_at is 'When the leases of a silent node were taken back; older than lease_until once it spoke again.';

create table corral.devices (
    device_id           uuid primary key,
    node_id             text not null,
    serial              text not null check (serial ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$'),
    serial_scope        text not null default '',
    index_no            integer not null check (index_no > 0),
    runtime_handle      text,
    label               text,
    tags                text[] not null default '{}',
    model               text,
    os_version          text,
    battery             integer check (battery between 0 and 100),
    temperature         real,
    meta                jsonb not null default '{}',
    connection          text not null default 'connected'
                        check (connection in ('connected', 'offline', 'unauthorized', 'not_booted', 'gone')),
    health              text not null default 'ok' check (health in ('ok', 'suspect', 'quarantined')),
    health_reason       text,
    health_by           text not null default 'node' check (health_by in ('node', 'operator')),
    contested_node_id   text,
    contested_connection text,
    unavailable_since   timestamptz,
    last_error_message  text,
    first_seen_at       timestamptz not null,
    changed_at          timestamptz not null,
    constraint devices_serial_is_unique unique (serial, serial_scope),
    constraint devices_index_is_unique unique (index_no) deferrable initially immediate,
    constraint devices_unavailable_has_since
        check ((unavailable_since is null) = (connection = 'connected' and health <> 'quarantined'))
);
comment on column corral.devices.serial_scope is 'Empty for a hardware serial; the node''s id where serials are not unique, as with emulators.';
create index devices_by_node on corral.devices (node_id);
create index devices_by_tag on corral.devices using gin (tags);
create index devices_contested on corral.devices (device_id) where contested_node_id is not null;

create sequence corral.lane_ticket;
create sequence corral.job_position;

-- ticket set: a job waits at the head; lease_token set: a job is leased; neither: idle. job_id is the head or the leased job.
-- No index covers a column that a grant or a finish changes, so both are in-place (HOT) updates.
create table corral.lanes (
    device_id         uuid primary key,
    node_id           text not null,
    is_available      boolean not null,
    head_priority     integer not null default 0,
    ticket            bigint,
    job_id            uuid,
    gate_run_id       uuid,
    lease_token       uuid,
    fence             bigint not null default 0,
    lease_epoch       integer,
    request_id        uuid,
    granted_at        timestamptz,
    unnamed_beats     smallint not null default 0,
    cancel_requested  boolean not null default false,
    constraint lanes_wait_or_lease_not_both check (ticket is null or lease_token is null),
    constraint lanes_hold_a_job_if_busy check ((job_id is not null) = (ticket is not null or lease_token is not null)),
    constraint lanes_lease_is_whole check (
        (lease_token is null) = (lease_epoch is null) and (lease_token is null) = (granted_at is null)
        and (lease_token is not null or not cancel_requested))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index lanes_by_node on corral.lanes (node_id);
create index lanes_unavailable on corral.lanes (device_id) where not is_available;

create table corral.scan_jobs (
    scan_id       uuid primary key,
    node_id       text not null,
    status        text not null default 'queued'
                  check (status in ('queued', 'running', 'succeeded', 'failed')),
    addresses     text[] not null default '{}',
    found         integer not null default 0,
    progress      jsonb not null default '{}',
    error_message text,
    requested_by  text,
    created_at    timestamptz not null,
    started_at    timestamptz,
    finished_at   timestamptz
);
create index scan_jobs_open on corral.scan_jobs (node_id) where finished_at is null;

create table corral.audit (
    audit_id  uuid primary key,
    at        timestamptz not null,
    actor     text not null,
    action    text not null,
    object    text not null,
    detail    jsonb not null default '{}'
);
create index audit_by_time on corral.audit (at);
