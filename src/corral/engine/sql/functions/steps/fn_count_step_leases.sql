-- How many steps of distributed jobs a node holds: they take its slots as jobs do. Called by fn_pull_job under the node's lock.
create or replace function corral.fn_count_step_leases(p_node_id text) returns integer
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_bitmapscan = off
as $$
    select count(*)::integer from job_steps s
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id
$$;
