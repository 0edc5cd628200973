-- Refuse a target or a policy that no run could have, before a channel keeps it. Null and JSON's null are nothing to refuse.
-- Called by fn_create_content_channel and fn_update_content_channel. Raises CR002 invalid_request with the path.
create or replace function corral.fn_check_content_run(p_run jsonb) returns void
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    if jsonb_typeof(p_run) = 'object' then
        perform fn_check_target(coalesce(p_run -> 'target', '{"all": true}'));
        perform fn_check_policy(coalesce(p_run -> 'policy', '{}'));
    end if;
end $$;
