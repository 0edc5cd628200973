-- What the engine's functions hand to one another.

-- A node's event as it was read, and then as it was judged.
create type corral.judged_event as (
    ord          integer,
    node_id      text,
    event_id     uuid,
    job_id       uuid,
    lease_token  uuid,
    seq          bigint,
    type         text,
    at           timestamptz,
    body         jsonb,
    outcome      text,
    message      text
);

-- A change that ends a job or gives it back to its queue (status 'queued').
create type corral.job_change as (
    job_id          uuid,
    status          text,
    ending          text,
    failure_reason  text,
    error_message   text,
    output          jsonb,
    at              timestamptz
);

-- A job that was ended or given back, as the counters want to know it.
create type corral.job_ended as (
    job_id          uuid,
    run_id          uuid,
    device_id       uuid,
    node_id         text,
    lease_token     uuid,
    status          text,
    failure_reason  text,
    error_message   text,
    was_live        boolean,
    is_gated        boolean,
    took_s          double precision
);

-- A change of one step of a distributed job: to an ended state, or to 'ready', which gives it back to its queue.
-- ending is how its lease ends; seq, started_at and at are its node's word, where it gave one.
create type corral.step_change as (
    job_id          uuid,
    step            text,
    status          text,
    ending          text,
    skip_cause      text,
    failure_reason  text,
    error_message   text,
    output          jsonb,
    seq             bigint,
    started_at      timestamptz,
    at              timestamptz,
    is_retryable    boolean
);

-- What changes of steps did to their jobs: those that ended, and all that moved.
create type corral.job_effects as (
    changes  corral.job_change[],
    news     corral.job_ended[]
);
