-- The steps of distributed jobs as their graph shows them: without specification, input and output, which may be large.
-- Of a local job, those of its last attempt, and the step whole-job that they are within.
create or replace view corral.graph_steps as
select j.run_id, s.job_id, s.job_attempt, s.position, s.name as step, s.title, s.action, s.needs, s.requires, s.status, s.attempt,
       s.max_attempts, s.lease_owner as node_id, s.skip_cause, s.failure_reason, s.error_message, s.continue_on_failure, s.ready_at,
       s.started_at, s.finished_at
  from corral.jobs j
  join corral.job_steps s on s.job_id = j.job_id
 where j.mode = 'distributed';
