-- The reporting contract: one row per step, attempt and device of a run.
create or replace view corral.run_steps as
select j.run_id, s.job_id, j.device_id, d.index_no, d.serial, s.job_attempt, s.position, s.name as step, s.title, s.action, s.status,
       s.attempt, s.probability, s.draw, s.decision, s.skip_cause, s.input, s.output, s.failure_reason, s.error_message,
       s.started_at, s.finished_at
  from corral.job_steps s
  join corral.jobs j on j.job_id = s.job_id
  left join corral.devices d on d.device_id = j.device_id;
