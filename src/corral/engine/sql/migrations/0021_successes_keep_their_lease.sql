-- A step that succeeded keeps its last lease on its own row; leases gets it when something is to be kept under it.
-- Fewer conditions are checked at each write of a step, and the likely values first: the same rules.

comment on column corral.job_steps.is_recorded is 'Of a step that runs or succeeded: whether its lease stands in leases already. All others do.';

alter table corral.job_steps
    drop constraint job_steps_status_check,
    drop constraint job_steps_end_when_finished,
    drop constraint job_steps_pending_needs_check,
    drop constraint job_steps_max_attempts_check,
    add constraint job_steps_end_when_finished check (
        case when finished_at is null then status in ('running', 'ready', 'pending')
             else status in ('succeeded', 'failed', 'skipped', 'cancelled') end),
    add constraint job_steps_counts_check check (pending_needs >= 0 and max_attempts >= 1);
