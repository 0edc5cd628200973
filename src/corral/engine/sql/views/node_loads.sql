-- How busy each node is: how many leases it holds, and up to how many it is given more (jobs of capped runs only up to
-- max_concurrency). Reads one node's lanes where one node is asked for.
create or replace view corral.node_loads as
select n.node_id, n.max_concurrency, n.max_concurrency + n.lookahead as slots, n.draining, n.draining_since, n.lease_until,
       n.lease_until < corral.fn_now() as is_silent,
       (select count(*) from corral.lanes l where l.node_id = n.node_id and l.lease_token is not null)
           + (select count(*) from corral.job_steps s
               where s.status = 'running' and s.lease_token is not null and s.lease_owner = n.node_id) as held
  from corral.nodes n;
