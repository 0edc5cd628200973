-- The stripe of run_versions and hourly_stats on which a node counts.
create or replace function corral.fn_stripe(p_node_id text) returns integer
language sql immutable parallel safe
as $$ select abs(hashtext(coalesce(p_node_id, '')) % 32) $$;
