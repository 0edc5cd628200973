-- Steps as the gateway reads them; lease_until is the earlier of the step's own and its node's.
create or replace view corral.step_states as
select s.job_id, s.job_attempt, s.name, s.position, s.title, s.description, s.action, s.spec, s.channel_id, s.needs, s.requires, s.priority, s.status,
       s.attempt, s.max_attempts, s.continue_on_failure, s.lease_owner, s.lease_token,
       case when s.status = 'running' and s.lease_token is not null then least(s.lease_until, n.lease_until) end as lease_until,
       s.probability, s.draw, s.decision, s.skip_cause, s.input, s.output, s.failure_reason, s.error_message, s.ready_seq,
       s.created_at, s.granted_at, s.started_at, s.finished_at
  from corral.job_steps s
  left join corral.nodes n on n.node_id = s.lease_owner;
