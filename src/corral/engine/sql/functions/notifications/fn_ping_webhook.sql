-- Ask for a webhook to be tried, enabled or not: a notification for it alone. Raises CR001 not_found. Returns the delivery.
create or replace function corral.fn_ping_webhook(p_webhook_id uuid, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now       timestamptz := fn_now();
    v_webhook   webhooks;
    v_id        uuid := fn_uuid7();
    v_delivery  uuid := fn_uuid7();
begin
    select w.* into v_webhook from webhooks w where w.webhook_id = p_webhook_id for key share;
    if v_webhook.webhook_id is null then
        raise exception 'no webhook %', p_webhook_id using errcode = 'CR001', detail = 'webhook_id';
    end if;
    insert into notifications (notification_id, type, subject, data, at)
    values (v_id, 'ping', p_webhook_id::text,
            jsonb_build_object('webhook', jsonb_build_object('webhook_id', p_webhook_id, 'name', v_webhook.name, 'by', p_actor)), v_now);
    insert into deliveries (delivery_id, notification_id, webhook_id, is_forced, next_attempt_at, created_at)
    values (v_delivery, v_id, p_webhook_id, true, v_now, v_now);
    perform fn_record_audit(p_actor, 'webhook.ping', p_webhook_id::text, '{}');
    return v_delivery;
end $$;
