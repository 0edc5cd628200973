-- Lease these steps to the node: a fresh token each, a row in leases. Called by claims, which locked the node and the steps, ready.
-- A step's own expiry is its timeout from here; its node's lease may end it earlier. p_is_started: the claim itself is the start.
-- Returns where the rows are now.
create or replace function corral.fn_grant_steps(
    p_node corral.nodes, p_request_id uuid, p_places tid[], p_is_started boolean default false)
returns tid[]
language sql volatile
set search_path = corral, pg_catalog
as $$
    with granted as (
        update job_steps s
           set status = 'running', lease_owner = p_node.node_id, lease_token = gen_random_uuid(), lease_epoch = p_node.epoch,
               lease_until = fn_now() + s.timeout + g.deadline_slack, request_id = p_request_id, granted_at = fn_now(),
               unnamed_beats = 0, state_seq = 0, available_at = null, is_started = p_is_started,
               attempt = s.attempt + p_is_started::integer, started_at = case when p_is_started then fn_now() end
          from settings g
         where s.ctid = any (p_places)
        returning s.ctid as place, s.job_id, s.name, s.lease_token, s.attempt, s.granted_at
    ), recorded as (
        insert into leases (job_id, lease_token, step, attempt, node_id, granted_at)
        select g.job_id, g.lease_token, g.name, g.attempt + (not p_is_started)::integer, p_node.node_id, g.granted_at from granted g
    )
    select array_agg(g.place) from granted g
$$;
