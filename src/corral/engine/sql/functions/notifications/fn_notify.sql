-- Write down that something happened, and for whom: one delivery for each webhook that asked for such news, in the transaction in which
-- it happened. Where nobody asked, nothing is written. Called by whatever ends runs, quarantines devices or judges nodes. Locks nothing
-- that others hold, and never fails for what others do to webhooks meanwhile.
create or replace function corral.fn_notify(p_type text, p_subject text, p_data jsonb) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now       timestamptz := fn_now();
    v_webhooks  uuid[] := array(select w.webhook_id from webhooks w where w.is_enabled and p_type = any (w.events));
    v_id        uuid := fn_uuid7();
begin
    if v_webhooks = '{}' then
        return;
    end if;
    insert into notifications (notification_id, type, subject, data, at) values (v_id, p_type, p_subject, p_data, v_now);
    insert into deliveries (delivery_id, notification_id, webhook_id, next_attempt_at, created_at)
    select fn_uuid7(), v_id, w.webhook_id, v_now, v_now from unnest(v_webhooks) as w (webhook_id);
end $$;
