-- A step that succeeded keeps its last lease on its own row; leases gets it when something is to be kept under it.

comment on column corral.job_steps.is_recorded is 'Of a step that runs or succeeded: whether its lease stands in leases already. All others do.';

-- The same rules, in fewer checks, with the likely answers first: every step is checked twice between its claim and its end.
alter table corral.job_steps
    drop constraint job_steps_status_check,
    drop constraint job_steps_end_when_finished,
    drop constraint job_steps_pending_needs_check,
    drop constraint job_steps_max_attempts_check,
    drop constraint job_steps_backoff_factor_check,
    drop constraint job_steps_backoff_jitter_check,
    add constraint job_steps_status_check check (
        status = 'running' or status = 'succeeded' or status in ('ready', 'pending', 'failed', 'skipped', 'cancelled')),
    add constraint job_steps_end_when_finished check (
        (finished_at is not null) = (status = 'succeeded' or status in ('failed', 'skipped', 'cancelled'))),
    add constraint job_steps_numbers_check check (
        pending_needs >= 0 and max_attempts >= 1 and backoff_factor >= 1 and backoff_jitter between 0 and 1);
