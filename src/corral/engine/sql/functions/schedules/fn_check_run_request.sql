-- Refuse what fn_create_run would refuse of a request that is kept for later: its policy and its target.
-- Called when a schedule is stored. Raises CR002 invalid_request with the path, from the functions that it asks.
create or replace function corral.fn_check_run_request(p_request jsonb) returns void
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    perform fn_check_policy(coalesce(p_request -> 'policy', '{}'));
    perform fn_check_target(coalesce(p_request -> 'target', '{"all": true}'));
end $$;
