-- The same table, its columns in another order: those that indexes ask for first, what has a fixed size before what has not.
-- Whenever PostgreSQL changes a row it reads every indexed column of its old and of its new version, each time from the row's beginning, so
-- that columns far behind cost a tenth of what claiming and ending a step takes. And the run's id, which a claim had to look up (docs/decisions/0011).

do $$
declare
    v_views  text := (select string_agg(c.oid::regclass::text, ', ') from pg_class c
                       where c.relnamespace = 'corral'::regnamespace and c.relkind = 'v');
begin
    if v_views is not null then
        execute 'drop view ' || v_views;
    end if;
end $$;
delete from corral.definitions; -- whatever reads the table is made anew after this

create temporary table kept_steps on commit drop as select * from corral.job_steps;
drop table corral.job_steps;

create table corral.job_steps (
    job_id               uuid not null,
    job_attempt          integer not null default 1,
    priority             integer not null default 0,
    claim_rank           smallint not null default 1,
    is_started           boolean not null default false,
    is_recorded          boolean not null default false,
    demand_id            integer,
    ready_seq            bigint,
    status               text not null default 'pending',
    name                 text not null,
    lease_token          uuid,
    lease_owner          text,
    lease_until          timestamptz,
    channel_id           uuid,
    available_at         timestamptz,
    finished_at          timestamptz,
    is_repeatable        boolean not null default true,
    continue_on_failure  boolean not null default false,
    unnamed_beats        smallint not null default 0,
    attempt              integer not null default 0,
    max_attempts         integer not null default 1,
    pending_needs        integer not null default 0,
    unmet_needs          integer not null default 0,
    position             integer not null default 0,
    lease_epoch          integer,
    state_seq            bigint not null default 0,
    created_at           timestamptz not null,
    ready_at             timestamptz,
    granted_at           timestamptz,
    started_at           timestamptz,
    request_id           uuid,
    run_id               uuid,
    timeout              interval,
    backoff              interval not null default '0',
    backoff_max          interval not null default '01:00:00',
    backoff_factor       double precision not null default 2,
    backoff_jitter       double precision not null default 0,
    needs                text[] not null default '{}',
    requires             text[] not null default '{}',
    title                text,
    description          text,
    action               text,
    spec                 jsonb,
    probability          double precision,
    draw                 double precision,
    decision             text,
    skip_cause           text,
    input                jsonb,
    output               jsonb,
    failure_reason       text,
    error_message        text
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);

insert into corral.job_steps (
    job_id, job_attempt, priority, claim_rank, is_started, is_recorded, demand_id, ready_seq, status, name, lease_token, lease_owner,
    lease_until, channel_id, available_at, finished_at, is_repeatable, continue_on_failure, unnamed_beats, attempt, max_attempts,
    pending_needs, unmet_needs, position, lease_epoch, state_seq, created_at, ready_at, granted_at, started_at, request_id, run_id, timeout,
    backoff, backoff_max, backoff_factor, backoff_jitter, needs, requires, title, description, action, spec, probability, draw, decision,
    skip_cause, input, output, failure_reason, error_message)
select k.job_id, k.job_attempt, k.priority, k.claim_rank, k.is_started, k.is_recorded, k.demand_id, k.ready_seq, k.status, k.name, k.lease_token,
       k.lease_owner, k.lease_until, k.channel_id, k.available_at, k.finished_at, k.is_repeatable, k.continue_on_failure, k.unnamed_beats,
       k.attempt, k.max_attempts, k.pending_needs, k.unmet_needs, k.position, k.lease_epoch, k.state_seq, k.created_at, k.ready_at,
       k.granted_at, k.started_at, k.request_id, case when k.demand_id is not null then j.run_id end, k.timeout, k.backoff, k.backoff_max,
       k.backoff_factor, k.backoff_jitter, k.needs, k.requires, k.title, k.description, k.action, k.spec, k.probability, k.draw, k.decision,
       k.skip_cause, k.input, k.output, k.failure_reason, k.error_message
  from kept_steps k
  join corral.jobs j on j.job_id = k.job_id;

alter table corral.job_steps
    add constraint job_steps_pkey primary key (job_id, job_attempt, name),
    add constraint job_steps_status_check check (
        status = 'running' or status = 'succeeded' or status in ('ready', 'pending', 'failed', 'skipped', 'cancelled')),
    add constraint job_steps_end_when_finished check (
        (finished_at is not null) = (status = 'succeeded' or status in ('failed', 'skipped', 'cancelled'))),
    add constraint job_steps_numbers_check check (
        pending_needs >= 0 and max_attempts >= 1 and backoff_factor >= 1 and backoff_jitter between 0 and 1),
    add constraint job_steps_probability_check check (probability between 0 and 1),
    add constraint job_steps_decision_check check (decision in ('execute', 'skip')),
    add constraint job_steps_skip_cause_check check (skip_cause in ('draw', 'when', 'upstream', 'cancelled', 'stopped'));

create index job_steps_ready on corral.job_steps (demand_id, claim_rank, priority desc, ready_seq)
    where status = 'ready' and channel_id is null;
create index job_steps_ready_in_channel on corral.job_steps (channel_id, demand_id, claim_rank, priority desc, ready_seq)
    where status = 'ready' and channel_id is not null;
create index job_steps_ready_in_chain on corral.job_steps (channel_id, lease_owner, priority desc, ready_seq)
    where status = 'ready' and channel_id is not null and claim_rank = 0;
create index job_steps_leased on corral.job_steps (lease_owner, lease_until)
    where status = 'running' and lease_token is not null;
create index job_steps_of_channel on corral.job_steps (channel_id, status) where channel_id is not null;

comment on column corral.job_steps.unmet_needs is 'How many of its ended needs failed, or were skipped because something failed.';
comment on column corral.job_steps.available_at is 'When a ready step may be claimed: after its backoff, or (infinity) when its capped run has a place.';
comment on column corral.job_steps.lease_owner is 'Who holds it or held it last; of a ready task of a chain, who did the one before.';
comment on column corral.job_steps.run_id is 'Of a step of a distributed job, which is told it with its lease.';
comment on column corral.job_steps.is_repeatable is 'Whether it is done again when its worker was lost while it ran.';
comment on column corral.job_steps.is_recorded is 'Of a step that runs or succeeded: whether its lease stands in leases already. All others do.';
