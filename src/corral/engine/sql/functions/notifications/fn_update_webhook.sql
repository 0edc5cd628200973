-- Change a webhook's name, url, events or is_enabled: those that p_body holds. Its kind stays. Locks the webhook.
-- Raises CR001 not_found, CR003 conflict where the name is taken.
create or replace function corral.fn_update_webhook(p_webhook_id uuid, p_body jsonb, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    perform 1 from webhooks w where w.webhook_id = p_webhook_id for no key update;
    if not found then
        raise exception 'no webhook %', p_webhook_id using errcode = 'CR001', detail = 'webhook_id';
    elsif exists (select 1 from webhooks w where w.name = p_body ->> 'name' and w.webhook_id <> p_webhook_id) then
        raise exception 'there is already a webhook %', p_body ->> 'name' using errcode = 'CR003', detail = 'name';
    end if;
    update webhooks w
       set name = coalesce(p_body ->> 'name', w.name),
           url = coalesce(p_body ->> 'url', w.url),
           events = case when p_body ? 'events' then array(select jsonb_array_elements_text(p_body -> 'events')) else w.events end,
           is_enabled = coalesce((p_body ->> 'is_enabled')::boolean, w.is_enabled),
           updated_at = fn_now()
     where w.webhook_id = p_webhook_id;
    perform fn_record_audit(p_actor, 'webhook.update', p_webhook_id::text,
                            (p_body - 'url') || case when p_body ? 'url' then '{"url": "changed"}' else '{}' end::jsonb);
end $$;
