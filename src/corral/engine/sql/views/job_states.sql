-- Jobs with what is known elsewhere: their workspace, and until when their lease runs (their node's does).
create or replace view corral.job_states as
select j.job_id, j.run_id, r.workspace, j.device_id, j.node_id, j.mode, j.position, j.priority, j.status, j.attempt, j.max_attempts,
       j.lease_owner, j.lease_token,
       case when j.status in ('leased', 'running') then n.lease_until end as lease_until,
       j.current_step, j.steps_done, j.steps_total, j.is_open, j.log_path, j.input, j.output, j.failure_reason, j.error_message,
       r.source_type, r.source_id, j.queued_at, j.leased_at, j.started_at, j.finished_at
  from corral.jobs j
  join corral.runs r on r.run_id = j.run_id
  left join corral.nodes n on n.node_id = j.lease_owner;
