-- The distributed half: which steps wait for which capabilities, who needs whom, channels and their claims.

create sequence corral.step_ready;

-- Interned sets of required capabilities: a claim visits the sets that the worker can serve,
-- never the waiting steps that it cannot.
create table corral.demands (
    demand_id       integer generated always as identity primary key,
    requires        text[] not null unique,
    unserved_since  timestamptz
);
comment on column corral.demands.unserved_since is 'Since when no live node is capable of it, as upkeep found; null: one is.';
insert into corral.demands (requires) values ('{}');

create table corral.step_needs (
    job_id   uuid not null,
    needed   text not null,
    step     text not null,
    primary key (job_id, needed, step)
);

create index job_steps_ready on corral.job_steps (demand_id, claim_rank, priority desc, ready_seq)
    where status = 'ready' and channel_id is null;
create index job_steps_ready_in_channel on corral.job_steps (channel_id, demand_id, claim_rank, priority desc, ready_seq)
    where status = 'ready' and channel_id is not null;
create index job_steps_ready_in_chain on corral.job_steps (channel_id, lease_owner, priority desc, ready_seq)
    where status = 'ready' and channel_id is not null and claim_rank = 0;
create index job_steps_leased on corral.job_steps (lease_owner, lease_until)
    where status = 'running' and lease_token is not null;

create table corral.channels (
    channel_id   uuid primary key,
    name         text not null unique check (name <> ''),
    description  text,
    created_at   timestamptz not null
);

create table corral.task_claims (
    node_id          text not null,
    idempotency_key  text not null,
    job_id           uuid not null,
    step             text not null,
    claimed_at       timestamptz not null,
    primary key (node_id, idempotency_key)
);
create index task_claims_by_time on corral.task_claims using brin (claimed_at);
