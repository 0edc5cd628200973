-- The tokens that a node holds and whose work should stop: what a pull and a heartbeat carry to it.
-- Asks by key of each step that the node holds: a join might start at the runs, or at all steps, by a plan that was made when there
-- were none.
create or replace function corral.fn_list_cancels(p_node_id text) returns uuid[]
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_bitmapscan = off
as $$
    select array(
        select l.lease_token from lanes l where l.node_id = p_node_id and l.cancel_requested and l.lease_token is not null
        union all
        select s.lease_token from job_steps s
         where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id
           and (select (select r.cancel_requested_at from runs r where r.run_id = j.run_id)
                  from jobs j where j.job_id = s.job_id) is not null)
$$;
