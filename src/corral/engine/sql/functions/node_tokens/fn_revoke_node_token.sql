-- Let a node's token open nothing any more. Repeating it changes nothing. Locks the token, then the credentials' version.
-- Raises CR001 not_found.
create or replace function corral.fn_revoke_node_token(p_node_id text, p_token_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update node_tokens t set revoked_at = fn_now(), revoked_by = coalesce(p_actor, 'anonymous')
     where t.token_id = p_token_id and t.node_id = p_node_id and t.revoked_at is null;
    if found then
        perform fn_record_audit(p_actor, 'node.revoke', p_node_id, jsonb_build_object('token_id', p_token_id));
        perform fn_count_credential_change();
    elsif not exists (select 1 from node_tokens t where t.token_id = p_token_id and t.node_id = p_node_id) then
        raise exception 'node % has no token %', p_node_id, p_token_id using errcode = 'CR001', detail = 'token_id';
    end if;
end $$;
