-- Remember who did what to which. Called by every function that changes something at a person's word.
create or replace function corral.fn_record_audit(p_actor text, p_action text, p_object text, p_detail jsonb) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    insert into audit (audit_id, at, actor, action, object, detail)
    values (fn_uuid7(), fn_now(), coalesce(p_actor, 'anonymous'), p_action, p_object, coalesce(p_detail, '{}'))
$$;
