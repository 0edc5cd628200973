-- Store a webhook. p_body holds name, kind, url, events, is_enabled, all of which the caller has checked; p_secret is what its bodies
-- are signed with, null where they are not. Locks nothing that others hold. Raises CR003 conflict where the name is taken.
create or replace function corral.fn_create_webhook(p_body jsonb, p_secret text, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now  timestamptz := fn_now();
    v_id   uuid;
begin
    insert into webhooks (webhook_id, name, kind, url, events, is_enabled, created_by, created_at, updated_at)
    values (fn_uuid7(), p_body ->> 'name', p_body ->> 'kind', p_body ->> 'url',
            array(select jsonb_array_elements_text(p_body -> 'events')), (p_body ->> 'is_enabled')::boolean, p_actor, v_now, v_now)
    on conflict (name) do nothing
    returning webhook_id into v_id;
    if v_id is null then
        raise exception 'there is already a webhook %', p_body ->> 'name' using errcode = 'CR003', detail = 'name';
    end if;
    if p_secret is not null then
        insert into webhook_secrets (webhook_id, secret) values (v_id, p_secret);
    end if;
    perform fn_record_audit(p_actor, 'webhook.create', v_id::text, p_body - 'url');
    return v_id;
end $$;
