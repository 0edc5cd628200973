-- What agents told, as the coordinator door shows it.
create or replace view corral.agent_event_states as
select e.event_id as id, e.agent_id, e.task_id, e.type, e.payload, e.idempotency_key, e.created_at
  from corral.agent_events e;
