-- Deliveries with what they tell. What they are signed with is not here.
create or replace view corral.delivery_states as
select d.delivery_id, d.webhook_id, d.notification_id, n.type, n.subject, n.data, n.at, d.status, d.attempts, d.last_status_code,
       d.last_latency_ms, d.last_error, d.next_attempt_at, d.created_at, d.finished_at
  from corral.deliveries d join corral.notifications n on n.notification_id = d.notification_id;
