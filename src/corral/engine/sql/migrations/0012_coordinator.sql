-- The coordinator door: agents and what they tell, chains and tasks under ids of their own, and the stream of all that changes.

-- An agent leases tasks under the name 'agent:<agent_id>', which no node can have.
-- No index on what heartbeats change.
create table corral.agents (
    agent_id         text primary key check (length(agent_id) between 1 and 200),
    name             text not null,
    status           text not null default 'idle' check (status in ('idle', 'running', 'waiting')),
    current_task_id  text,
    meta             jsonb not null default '{}' check (jsonb_typeof(meta) = 'object'),
    is_online        boolean not null,
    lease_until      timestamptz not null,
    last_seen        timestamptz,
    created_at       timestamptz not null,
    updated_at       timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
comment on column corral.agents.is_online is 'As the stream was last told; whoever asks is told by last_seen.';
comment on column corral.agents.last_seen is 'Null: it was given a task by hand, and never spoke.';

-- What a chain has besides its job. place is its age among chains: its first task queues there, whenever that is added.
create table corral.chains (
    chain_id     uuid primary key,
    channel_id   uuid not null,
    name         text not null,
    description  text,
    place        bigint not null default nextval('corral.step_ready'),
    is_locked    boolean not null default false,
    created_at   timestamptz not null,
    updated_at   timestamptz not null
);
create index chains_by_channel on corral.chains (channel_id, place);

create table corral.tasks (
    task_id     uuid primary key,
    chain_id    uuid not null,
    step        text not null,
    is_locked   boolean not null default false,
    updated_at  timestamptz not null,
    unique (chain_id, step)
);
create index task_claims_of_task on corral.task_claims (job_id, step);
create index job_steps_of_channel on corral.job_steps (channel_id, status) where channel_id is not null;

insert into corral.chains (chain_id, channel_id, name, description, created_at, updated_at)
select j.job_id, r.source_id::uuid, r.name, j.input ->> 'description', r.created_at, r.created_at
  from corral.runs r join corral.jobs j on j.run_id = r.run_id and j.mode = 'distributed'
 where r.source_type = 'channel' and r.source_id is not null
 order by r.created_at, j.job_id;
insert into corral.tasks (task_id, chain_id, step, updated_at)
select gen_random_uuid(), s.job_id, s.name, s.created_at
  from corral.chains c join corral.job_steps s on s.job_id = c.chain_id and s.job_attempt = 1;

create table corral.agent_events (
    event_id         uuid primary key,
    agent_id         text,
    task_id          text,
    type             text not null,
    payload          jsonb,
    idempotency_key  text unique,
    created_at       timestamptz not null
);
create index agent_events_of_agent on corral.agent_events (agent_id, event_id);
create index agent_events_of_task on corral.agent_events (task_id, event_id) where task_id is not null;
create index agent_events_by_time on corral.agent_events using brin (created_at);

-- What changed at the coordinator door, for streams. Order of numbers is not order of commits: rows are read in the order of their
-- transactions, and only those of transactions before which none is still under way. So no reader passes over a row.
create table corral.changes (
    written_by  bigint not null default pg_current_xact_id()::text::bigint,
    change_id   bigint generated always as identity,
    topic       text not null check (topic in ('agents', 'channels', 'chains', 'tasks', 'events')),
    object_id   text not null,
    is_gone     boolean not null default false,
    at          timestamptz not null,
    primary key (written_by, change_id)
);
