-- When runs start by themselves, and who is told what happened.

alter table corral.schedules
    add column overlap         text not null default 'skip' check (overlap in ('allow', 'skip', 'cancel_previous')),
    add column catch_up        text not null default 'last' check (catch_up in ('none', 'last', 'all')),
    add column catch_up_limit  integer not null default 10 check (catch_up_limit between 1 and 100),
    add column revision        integer not null default 1,
    add column updated_at      timestamptz;
update corral.schedules set updated_at = created_at;
alter table corral.schedules alter column updated_at set not null;
comment on column corral.schedules.revision is 'Counts the changes, so that nothing is decided by what a schedule no longer says.';
create index schedules_due on corral.schedules (next_fire_at) where not is_paused;

-- Apart from schedules, so that no view or listing of them can show them.
create table corral.schedule_secrets (
    schedule_id  uuid primary key references corral.schedules on delete cascade,
    params       jsonb not null check (jsonb_typeof(params) = 'object')
);

-- What became of each due time. A row of missed times may stand for many that followed one another, from due_at on.
create table corral.firings (
    firing_id    uuid primary key,
    schedule_id  uuid not null references corral.schedules on delete cascade,
    due_at       timestamptz not null,
    is_by_hand   boolean not null default false,
    outcome      text not null check (outcome in ('fired', 'skipped', 'missed', 'failed')),
    times        integer not null default 1 check (times >= 1),
    reason       text,
    run_id       uuid,
    recorded_at  timestamptz not null,
    constraint firings_fired_have_a_run check ((outcome = 'fired') = (run_id is not null)),
    constraint firings_else_have_a_reason check (outcome = 'fired' or reason is not null)
);
create unique index firings_happen_once on corral.firings (schedule_id, due_at) where not is_by_hand;
create index firings_by_schedule on corral.firings (schedule_id, due_at, firing_id);
create index firings_by_run on corral.firings (run_id) where run_id is not null;
create index firings_by_time on corral.firings (recorded_at);

create table corral.webhooks (
    webhook_id  uuid primary key,
    name        text not null unique,
    kind        text not null check (kind in ('json', 'slack')),
    url         text not null,
    events      text[] not null check (cardinality(events) > 0),
    is_enabled  boolean not null default true,
    created_by  text,
    created_at  timestamptz not null,
    updated_at  timestamptz not null
);

-- Apart from webhooks, as run_secrets are from runs: what bodies are signed with.
create table corral.webhook_secrets (
    webhook_id  uuid primary key references corral.webhooks on delete cascade,
    secret      text not null
);

-- What happened, written in the transaction in which it did. No foreign keys below: the end of a run must neither wait nor fail
-- because somebody deletes a webhook.
create table corral.notifications (
    notification_id  uuid primary key,
    type             text not null check (type in ('run.finished', 'run.failed', 'device.quarantined', 'node.offline', 'node.online',
                                                   'nodes.silent', 'schedule.failed', 'ping')),
    subject          text not null,
    data             jsonb not null check (jsonb_typeof(data) = 'object'),
    at               timestamptz not null
);
create index notifications_by_time on corral.notifications (at);

create table corral.deliveries (
    delivery_id       uuid primary key,
    notification_id   uuid not null,
    webhook_id        uuid not null,
    status            text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
    is_forced         boolean not null default false,
    tries             integer not null default 0,
    next_attempt_at   timestamptz,
    claim_token       uuid,
    attempts          jsonb not null default '[]',
    last_status_code  integer,
    last_latency_ms   integer,
    last_error        text,
    created_at        timestamptz not null,
    finished_at       timestamptz,
    constraint deliveries_are_told_once unique (notification_id, webhook_id),
    constraint deliveries_end_when_finished check ((finished_at is null) = (status = 'waiting')),
    constraint deliveries_waiting_have_a_time check ((next_attempt_at is not null) = (status = 'waiting'))
);
comment on column corral.deliveries.is_forced is 'Somebody asked for it by hand: it is made although the webhook is disabled.';
comment on column corral.deliveries.tries is 'Attempts begun since it was last asked for; attempts lists those that ended.';
create index deliveries_due on corral.deliveries (webhook_id, next_attempt_at) where status = 'waiting';
create index deliveries_by_webhook on corral.deliveries (webhook_id, delivery_id);
create index deliveries_by_time on corral.deliveries (created_at);

-- Nodes whose silence was told and whose return was not.
create table corral.offline_nodes (
    node_id  text primary key,
    since    timestamptz not null
);
alter table corral.upkeep add column silence_told_at timestamptz;
comment on column corral.upkeep.silence_told_at is 'When the present silence, or the last one, was told.';
