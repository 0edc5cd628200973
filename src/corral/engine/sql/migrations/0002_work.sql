-- The work: workflows, runs, jobs, steps, leases, events and what they leave behind.

create table corral.workflows (
    workflow_id  uuid primary key,
    name         text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$'),
    version      integer not null check (version > 0),
    mode         text not null check (mode in ('device', 'distributed')),
    recipe       jsonb not null check (jsonb_typeof(recipe) = 'object'),
    created_by   text,
    created_at   timestamptz not null,
    constraint workflows_version_is_unique unique (name, version)
);

create table corral.command_assets (
    command_id        uuid primary key,
    name              text not null unique,
    title             text,
    description       text,
    uses              text not null,
    with_params       jsonb not null default '{}' check (jsonb_typeof(with_params) = 'object'),
    timeout_s         integer check (timeout_s > 0),
    timeout_bounds_s  int4range,
    tags              text[] not null default '{}',
    created_at        timestamptz not null,
    updated_at        timestamptz not null
);

create table corral.playbooks (
    playbook_id  uuid primary key,
    name         text not null unique,
    description  text,
    workflow_id  uuid references corral.workflows,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);

create table corral.playbook_steps (
    playbook_id  uuid not null references corral.playbooks on delete cascade,
    position     integer not null check (position > 0),
    command_id   uuid not null references corral.command_assets,
    probability  double precision not null default 1 check (probability between 0 and 1),
    timeout_s    integer check (timeout_s > 0),
    on_failure   text not null default 'stop' check (on_failure in ('stop', 'continue', 'retry')),
    params       jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
    primary key (playbook_id, position)
);

create table corral.runs (
    run_id               uuid primary key,
    workflow_id          uuid not null references corral.workflows,
    workspace            text not null default 'default',
    name                 text not null,
    mode                 text not null check (mode in ('device', 'distributed')),
    target               jsonb not null default '{}',
    params               jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
    overrides            jsonb not null default '{}' check (jsonb_typeof(overrides) = 'object'),
    policy               jsonb not null default '{}' check (jsonb_typeof(policy) = 'object'),
    priority             integer not null default 0 check (priority between -1000 and 1000),
    skip_offline         boolean not null default true,
    wait_timeout         interval not null default '1 hour',
    job_timeout          interval not null default '10 minutes' check (job_timeout > '0 s'),
    max_attempts         integer not null default 3 check (max_attempts between 1 and 100),
    seed                 text not null,
    youtube_video_id     text,
    source_type          text,
    source_id            text,
    created_by           text,
    retry_of             uuid,
    replay_of            uuid,
    status               text not null default 'queued'
                         check (status in ('queued', 'running', 'succeeded', 'completed_with_errors',
                                           'failed', 'cancelled', 'skipped')),
    total_jobs           integer not null default 0,
    fan_out_cursor       integer not null default 0,
    fan_out_until        integer not null default 0,
    cancel_requested_at  timestamptz,
    cancel_requested_by  text,
    fanned_out_at        timestamptz,
    created_at           timestamptz not null,
    started_at           timestamptz,
    finished_at          timestamptz,
    constraint runs_end_when_finished check (
        (finished_at is not null) = (status in ('succeeded', 'completed_with_errors', 'failed', 'cancelled', 'skipped'))),
    constraint runs_end_after_fan_out check (finished_at is null or fanned_out_at is not null)
) with (fillfactor = 70);
create index runs_open on corral.runs (run_id) where finished_at is null;
create index runs_by_time on corral.runs (workspace, created_at desc, run_id desc);
create index runs_by_source on corral.runs (source_type, source_id) where source_id is not null;

-- Apart from runs, so that no view or listing of runs can show them.
create table corral.run_secrets (
    run_id  uuid primary key,
    params  jsonb not null
);

create table corral.run_gates (
    run_id     uuid primary key,
    cap        integer not null check (cap > 0),
    in_flight  integer not null default 0,
    constraint run_gates_hold check (in_flight between 0 and cap)
) with (fillfactor = 50);

-- Striped by node, so that the callbacks of a big run do not queue up behind one row. The sum of versions is the ETag.
create table corral.run_versions (
    run_id              uuid not null,
    stripe              integer not null,
    version             bigint not null default 1,
    leased              integer not null default 0,
    succeeded           integer not null default 0,
    failed              integer not null default 0,
    cancelled           integer not null default 0,
    skipped_offline     integer not null default 0,
    last_error_message  text,
    last_error_at       timestamptz,
    primary key (run_id, stripe)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

-- is_waiting repeats status = 'queued' for the sake of the FIFO index: an index on status would make every change of state
-- rewrite all indexes, one on is_waiting only the way into and out of the queue.
create table corral.jobs (
    job_id          uuid primary key,
    run_id          uuid not null,
    device_id       uuid,
    node_id         text,
    mode            text not null default 'device' check (mode in ('device', 'distributed')),
    pool_tags       text[],
    position        bigint not null,
    priority        integer not null default 0,
    is_waiting      boolean not null default true,
    is_gated        boolean not null default false,
    is_started      boolean not null default false,
    is_open         boolean not null default false,
    status          text not null default 'queued'
                    check (status in ('queued', 'leased', 'running', 'succeeded', 'failed', 'cancelled', 'skipped_offline')),
    attempt         integer not null default 0,
    max_attempts    integer not null default 3,
    lease_owner     text,
    lease_token     uuid,
    state_seq       bigint not null default 0,
    timeout         interval not null,
    deadline_at     timestamptz,
    current_step    text,
    steps_done      integer not null default 0,
    steps_total     integer not null default 0,
    open_steps      integer not null default 0,
    log_path        text,
    input           jsonb,
    output          jsonb,
    failure_reason  text check (failure_reason in (
                        'device_offline', 'device_unauthorized', 'device_not_booted', 'device_unhealthy', 'step_timeout',
                        'job_timeout', 'wait_timeout', 'action_failed', 'assertion_failed', 'template_error', 'driver_error',
                        'upload_failed', 'node_lost', 'no_capable_node', 'step_failed', 'internal_error', 'unknown')),
    error_message   text,
    queued_at       timestamptz not null,
    leased_at       timestamptz,
    started_at      timestamptz,
    finished_at     timestamptz,
    constraint jobs_wait_when_queued check (is_waiting = (status = 'queued' and mode = 'device')),
    constraint jobs_leased_have_a_lease check (
        mode = 'distributed' or status not in ('leased', 'running')
        or (device_id is not null and lease_owner is not null and lease_token is not null and deadline_at is not null)),
    constraint jobs_end_when_finished check (
        (finished_at is not null) = (status in ('succeeded', 'failed', 'cancelled', 'skipped_offline'))),
    constraint jobs_failed_have_a_reason check ((failure_reason is not null) = (status = 'failed'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create unique index jobs_of_run on corral.jobs (run_id, device_id);
create index jobs_fifo on corral.jobs (device_id, priority desc, position) where is_waiting;
create index jobs_pool on corral.jobs (priority desc, position) where is_waiting and device_id is null;

-- Steps of a device job appear as the node reports them, one row per attempt of the job; steps of a distributed job are its queue.
create table corral.job_steps (
    job_id               uuid not null,
    job_attempt          integer not null default 1,
    name                 text not null,
    position             integer not null default 0,
    title                text,
    description          text,
    action               text,
    spec                 jsonb,
    channel_id           uuid,
    needs                text[] not null default '{}',
    pending_needs        integer not null default 0 check (pending_needs >= 0),
    unmet_needs          integer not null default 0,
    requires             text[] not null default '{}',
    demand_id            integer,
    priority             integer not null default 0,
    claim_rank           smallint not null default 1,
    ready_seq            bigint,
    ready_at             timestamptz,
    available_at         timestamptz,
    continue_on_failure  boolean not null default false,
    status               text not null default 'pending'
                         check (status in ('pending', 'ready', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')),
    attempt              integer not null default 0,
    max_attempts         integer not null default 1 check (max_attempts >= 1),
    backoff              interval not null default '0',
    timeout              interval,
    lease_owner          text,
    lease_token          uuid,
    lease_until          timestamptz,
    lease_epoch          integer,
    request_id           uuid,
    unnamed_beats        smallint not null default 0,
    granted_at           timestamptz,
    is_started           boolean not null default false,
    state_seq            bigint not null default 0,
    probability          double precision check (probability between 0 and 1),
    draw                 double precision,
    decision             text check (decision in ('execute', 'skip')),
    skip_cause           text check (skip_cause in ('draw', 'when', 'upstream', 'cancelled', 'stopped')),
    input                jsonb,
    output               jsonb,
    failure_reason       text,
    error_message        text,
    created_at           timestamptz not null,
    started_at           timestamptz,
    finished_at          timestamptz,
    primary key (job_id, job_attempt, name),
    constraint job_steps_end_when_finished check (
        (finished_at is not null) = (status in ('succeeded', 'failed', 'skipped', 'cancelled')))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

comment on column corral.job_steps.unmet_needs is 'How many of its ended needs failed, or were skipped because something failed.';
comment on column corral.job_steps.lease_owner is 'Who holds it or held it last; of a ready task of a chain, who did the one before.';

-- One row per right ever given: what artifacts, late words and audits are judged by.
create table corral.leases (
    job_id       uuid not null,
    lease_token  uuid not null,
    step         text,
    attempt      integer not null,
    node_id      text not null,
    device_id    uuid,
    fence        bigint not null default 0,
    granted_at   timestamptz not null,
    ended_at     timestamptz,
    ending       text check (ending in ('finished', 'interrupted', 'expired', 'rebooted', 'lost_grant', 'deadline',
                                        'device_moved', 'released')),
    log_lines    integer not null default 0,
    primary key (job_id, lease_token),
    constraint leases_end_whole check ((ended_at is null) = (ending is null))
) with (fillfactor = 80);

create table corral.node_events (
    node_id      text not null,
    event_id     uuid not null,
    job_id       uuid,
    seq          bigint,
    type         text not null,
    outcome      text not null check (outcome in ('applied', 'stale')),
    message      text,
    received_at  timestamptz not null,
    payload      jsonb,
    primary key (node_id, event_id)
);
create index node_events_by_time on corral.node_events using brin (received_at) with (pages_per_range = 32);

create table corral.log_lines (
    job_id   uuid not null,
    line_no  bigint generated always as identity,
    attempt  integer not null,
    at       timestamptz not null,
    level    text not null default 'info' check (level in ('debug', 'info', 'warning', 'error')),
    step     text,
    message  text not null,
    primary key (job_id, line_no)
);
create index log_lines_by_time on corral.log_lines using brin (at) with (pages_per_range = 32);

create table corral.artifacts (
    artifact_id   uuid primary key,
    key           text not null unique,
    run_id        uuid not null,
    job_id        uuid not null,
    device_id     uuid,
    node_id       text not null,
    step          text,
    attempt       integer not null,
    kind          text not null default 'file' check (kind in ('screenshot', 'log', 'file')),
    content_type  text,
    size_bytes    bigint check (size_bytes >= 0),
    sha256        text check (sha256 ~ '^[0-9a-f]{64}$'),
    at            timestamptz not null,
    created_at    timestamptz not null
);
create index artifacts_by_job on corral.artifacts (job_id, created_at);
create index artifacts_by_run on corral.artifacts (run_id, created_at);

create table corral.files (
    sha256        text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
    name          text not null,
    content_type  text,
    size_bytes    bigint not null check (size_bytes >= 0),
    created_by    text,
    created_at    timestamptz not null
);

-- Finished jobs by hour, how they ended, and how long they took (bucket n holds durations of about 2^(n/4) seconds).
create table corral.hourly_stats (
    hour             timestamptz not null,
    stripe           integer not null,
    outcome          text not null,
    duration_bucket  smallint not null,
    jobs             bigint not null default 0,
    primary key (hour, outcome, duration_bucket, stripe)
) with (fillfactor = 70);
