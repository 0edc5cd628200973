-- Sign a webhook's bodies with another secret from now on. Locks the webhook. Raises CR001 not_found, CR003 conflict where it signs nothing.
create or replace function corral.fn_rotate_webhook_secret(p_webhook_id uuid, p_secret text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update webhooks w set updated_at = fn_now() where w.webhook_id = p_webhook_id;
    if not found then
        raise exception 'no webhook %', p_webhook_id using errcode = 'CR001', detail = 'webhook_id';
    end if;
    update webhook_secrets s set secret = p_secret where s.webhook_id = p_webhook_id;
    if not found then
        raise exception 'a webhook of kind slack signs nothing' using errcode = 'CR003', detail = 'kind';
    end if;
    perform fn_record_audit(p_actor, 'webhook.rotate', p_webhook_id::text, '{}');
end $$;
