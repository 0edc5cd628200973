-- Delete a webhook with its secret and its deliveries. Locks the webhook, then its deliveries. Raises CR001 not_found.
create or replace function corral.fn_delete_webhook(p_webhook_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_name  text;
begin
    delete from webhooks w where w.webhook_id = p_webhook_id returning w.name into v_name;
    if v_name is null then
        raise exception 'no webhook %', p_webhook_id using errcode = 'CR001', detail = 'webhook_id';
    end if;
    delete from deliveries d where d.webhook_id = p_webhook_id;
    perform fn_record_audit(p_actor, 'webhook.delete', p_webhook_id::text, jsonb_build_object('name', v_name));
end $$;
