-- Give a node a token of its own, of which only the sha256 comes here. The node need not be registered yet, and keeps the tokens
-- that it has. Locks nothing that others hold. Raises CR002 invalid_request.
create or replace function corral.fn_enroll_node(p_node_id text, p_digest bytea, p_actor text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_token_id  uuid := fn_uuid7();
begin
    if p_node_id is null or p_node_id !~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' then
        raise exception 'node_id must be 1 to 63 letters, digits, dots, dashes or underscores'
              using errcode = 'CR002', detail = 'node_id';
    end if;
    insert into node_tokens (token_id, node_id, digest, created_at, created_by)
    values (v_token_id, p_node_id, p_digest, fn_now(), coalesce(p_actor, 'anonymous'));
    perform fn_record_audit(p_actor, 'node.enroll', p_node_id, jsonb_build_object('token_id', v_token_id));
    return v_token_id;
end $$;
