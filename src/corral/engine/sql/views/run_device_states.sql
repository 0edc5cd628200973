-- The reporting contract: one row per run and device, with the lease as it stands.
create or replace view corral.run_device_states as
select j.run_id, j.device_id, d.index_no, d.serial, coalesce(j.node_id, d.node_id) as node_id, j.job_id, j.status, j.attempt,
       j.lease_owner, case when j.status in ('leased', 'running') then n.lease_until end as lease_until, j.lease_token,
       j.current_step, j.steps_done, j.steps_total, j.failure_reason, j.error_message as last_error_message,
       j.queued_at, j.leased_at, j.started_at, j.finished_at
  from corral.jobs j
  left join corral.devices d on d.device_id = j.device_id
  left join corral.nodes n on n.node_id = j.lease_owner
 where j.mode = 'device';
