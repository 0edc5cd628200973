-- A device's jobs over all runs, for its history: newest first by position, which counts up within a device.
create or replace view corral.device_jobs as
select j.device_id, j.position, j.job_id, j.run_id, r.name as run_name, w.name as workflow, w.version as workflow_version, j.node_id,
       j.status, j.attempt, j.failure_reason, j.error_message, j.queued_at, j.started_at, j.finished_at
  from corral.jobs j
  join corral.runs r on r.run_id = j.run_id
  join corral.workflows w on w.workflow_id = r.workflow_id;
