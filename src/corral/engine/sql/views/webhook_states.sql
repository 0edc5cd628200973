-- Webhooks as people see them, with how their last finished delivery ended and how many wait. Not what they sign with.
create or replace view corral.webhook_states as
select w.webhook_id, w.name, w.kind, w.url, w.events, w.is_enabled, w.created_by, w.created_at, w.updated_at,
       l.status as last_status, l.created_at as last_at, l.last_error,
       (select count(*) from corral.deliveries d where d.webhook_id = w.webhook_id and d.status = 'waiting') as waiting
  from corral.webhooks w
  left join lateral (select d.status, d.created_at, d.last_error from corral.deliveries d
                      where d.webhook_id = w.webhook_id order by d.delivery_id desc limit 1) l on true;
