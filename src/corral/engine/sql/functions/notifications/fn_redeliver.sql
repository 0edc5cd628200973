-- Make a delivery once more, at once and with all its attempts before it; what became of earlier attempts stays. One that still waits
-- is tried at once. Locks the delivery. Raises CR001 not_found.
create or replace function corral.fn_redeliver(p_webhook_id uuid, p_delivery_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update deliveries d
       set status = 'waiting', is_forced = true, tries = 0, next_attempt_at = fn_now(), claim_token = null, finished_at = null
     where d.delivery_id = p_delivery_id and d.webhook_id = p_webhook_id;
    if not found then
        raise exception 'no delivery %', p_delivery_id using errcode = 'CR001', detail = 'delivery_id';
    end if;
    perform fn_record_audit(p_actor, 'webhook.redeliver', p_webhook_id::text, jsonb_build_object('delivery_id', p_delivery_id));
end $$;
