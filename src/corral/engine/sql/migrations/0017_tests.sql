-- Tests: what every phone told of every test case, and the units of suites that the phones of a run share between them.

alter table corral.jobs drop constraint jobs_failure_reason_check;
alter table corral.jobs add constraint jobs_failure_reason_check check (failure_reason in (
    'device_offline', 'device_unauthorized', 'device_not_booted', 'device_unhealthy', 'step_timeout',
    'job_timeout', 'wait_timeout', 'action_failed', 'assertion_failed', 'tests_failed', 'template_error', 'driver_error',
    'upload_failed', 'node_lost', 'no_capable_node', 'step_failed', 'internal_error', 'unknown'));

-- A suite whose tests are shared: one for each step of a run that offered its list. Its row is the lock that claims take turns by.
create table corral.test_suites (
    run_id         uuid not null,
    step           text not null,
    workflow_name  text not null,
    chunk          text not null check (chunk in ('count', 'duration')),
    test_retries   integer not null check (test_retries between 0 and 10),
    infra_retries  integer not null check (infra_retries between 0 and 10),
    total          integer not null check (total >= 0),
    digest         bytea not null,
    offer_job_id   uuid not null,
    offer_token    uuid not null,
    created_at     timestamptz not null,
    primary key (run_id, step)
);
comment on column corral.test_suites.digest is 'Of the list that was offered first: another list is noticed by it.';
create index test_suites_by_workflow on corral.test_suites (workflow_name, created_at desc);

-- One test of a shared suite. A claim stays named after it was lost, so that a late result counts until another has claimed the test.
create table corral.test_units (
    run_id            uuid not null,
    step              text not null,
    case_id           uuid not null,
    class_name        text not null,
    name              text not null,
    position          integer not null,
    expected_s        double precision not null check (expected_s >= 0),
    failures          integer not null default 0 check (failures >= 0),
    losses            integer not null default 0 check (losses >= 0),
    failed_job_id     uuid,
    is_in_flight      boolean not null default false,
    claim_job_id      uuid,
    claim_token       uuid,
    claim_request_id  uuid,
    claim_try         integer,
    claimed_at        timestamptz,
    verdict           text check (verdict in ('passed', 'failed', 'errored', 'skipped')),
    verdict_job_id    uuid,
    is_flaky          boolean not null default false,
    message           text,
    took_s            double precision,
    finished_at       timestamptz,
    primary key (run_id, step, case_id),
    constraint test_units_claim_is_whole check (num_nonnulls(claim_job_id, claim_token, claim_request_id, claim_try, claimed_at) in (0, 5)),
    constraint test_units_in_flight_are_claimed check (not is_in_flight or (claim_token is not null and verdict is null)),
    constraint test_units_end_when_finished check ((verdict is null) = (finished_at is null)),
    constraint test_units_are_judged_by_a_phone check (verdict_job_id is null or verdict is not null),
    constraint test_units_without_a_phone_are_errors check (verdict is null or verdict_job_id is not null or verdict = 'errored'),
    constraint test_units_flaky_passed check (not is_flaky or (verdict = 'passed' and failures > 0))
) with (fillfactor = 70);
comment on column corral.test_units.losses is 'How many phones were lost while they had it.';
comment on column corral.test_units.failed_job_id is 'On whose phone it failed last: the next try is another''s, where there is one.';
comment on column corral.test_units.verdict_job_id is 'Whose phone gave the final result; null where nobody did.';
create index test_units_waiting on corral.test_units (run_id, step, losses, position) where verdict is null and not is_in_flight;
create index test_units_in_flight on corral.test_units (run_id, step) where is_in_flight;
create index test_units_by_claim on corral.test_units (claim_token, claim_request_id) where claim_token is not null;

-- The phones that take part in a shared suite: at work, waiting as a spare, or told that nothing is left for them.
create table corral.test_phones (
    run_id       uuid not null,
    step         text not null,
    job_id       uuid not null,
    lease_token  uuid not null,
    part         text not null check (part in ('working', 'spare', 'done')),
    asked_at     timestamptz not null,
    primary key (run_id, step, job_id)
) with (fillfactor = 70);

-- What a phone told of one try of a test case. is_counted: it speaks for its case; a result of a shared test that another phone
-- had claimed meanwhile does not. is_last: it is that job's last word on the case.
create table corral.test_results (
    job_id       uuid not null,
    step         text not null,
    case_id      uuid not null,
    attempt      integer not null,
    try          integer not null check (try >= 1),
    run_id       uuid not null,
    device_id    uuid,
    node_id      text not null,
    lease_token  uuid not null,
    class_name   text not null,
    name         text not null,
    status       text not null check (status in ('passed', 'failed', 'errored', 'skipped')),
    duration_s   double precision not null check (duration_s >= 0),
    message      text,
    trace        text,
    is_unit      boolean not null,
    is_counted   boolean not null,
    is_last      boolean not null default false,
    is_flaky     boolean not null default false,
    at           timestamptz not null,
    primary key (job_id, step, case_id, attempt, try),
    constraint test_results_last_counts check (is_counted or not is_last),
    constraint test_results_flaky_passed check (not is_flaky or (is_last and status = 'passed'))
) with (fillfactor = 90);
comment on column corral.test_results.is_flaky is 'Of a last word: it passed after the same phone had told of a failure.';
create index test_results_by_run on corral.test_results (run_id, step, case_id);
create unique index test_results_have_one_last on corral.test_results (job_id, step, case_id) where is_last;
create unique index test_results_count_once on corral.test_results (run_id, step, case_id, try) where is_unit and is_counted;

-- A test of a list that is offered.
create type corral.offered_test as (
    case_id     uuid,
    class_name  text,
    name        text
);

-- A result as a callback told it, with whose it is.
create type corral.told_result as (
    run_id       uuid,
    job_id       uuid,
    attempt      integer,
    device_id    uuid,
    node_id      text,
    lease_token  uuid,
    step         text,
    case_id      uuid,
    class_name   text,
    name         text,
    try          integer,
    status       text,
    duration_s   double precision,
    message      text,
    trace        text,
    at           timestamptz
);
