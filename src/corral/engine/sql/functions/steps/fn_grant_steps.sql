-- Lease these steps to the node, each under a token of its own. Called by claims, which locked the node and the steps, ready.
-- A step's own expiry is its timeout from here; its node's lease may end it earlier. p_is_started: the claim itself is the start.
-- The lease is on the step's row. leases gets it when it ends, but for a success, or when something is kept under it (fn_record_step_leases).
-- A token is half drawn for this call, and half the step's place in the queue, which it has alone, under a mask that is drawn, too: nobody but who is
-- told of this claim can guess one (docs/decisions/0011). Returns them in claim order, as whoever claimed them is told.
create or replace function corral.fn_grant_steps(
    p_node corral.nodes, p_request_id uuid, p_places tid[], p_is_started boolean default false)
returns table (job_id uuid, run_id uuid, name text, "position" integer, title text, description text, action text, spec jsonb, input jsonb,
               needs text[], channel_id uuid, priority integer, attempt integer, lease_token uuid, timeout_s double precision,
               continue_on_failure boolean, probability double precision)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
#variable_conflict use_column
declare
    v_now     timestamptz := fn_now();
    v_slack   interval := (select c.deadline_slack from settings c);
    v_first   integer := case when p_is_started then 1 else 0 end;
    v_half    bytea := substring(uuid_send(gen_random_uuid()) for 8);
    v_mask    bigint := ('x' || encode(substring(uuid_send(gen_random_uuid()) for 8), 'hex'))::bit(64)::bigint;
begin
    -- One place after the other, in the order in which they were picked: there is no other join than a loop.
    return query
        update job_steps s
           set status = 'running', lease_owner = p_node.node_id, lease_epoch = p_node.epoch,
               lease_token = encode(v_half || int8send(s.ready_seq # v_mask), 'hex')::uuid,
               lease_until = v_now + s.timeout + v_slack, request_id = p_request_id, granted_at = v_now,
               unnamed_beats = 0, state_seq = 0, available_at = null, is_started = p_is_started, is_recorded = false,
               attempt = s.attempt + v_first, started_at = case when p_is_started then v_now end
          from unnest(p_places) as u (place)
         where s.ctid = u.place
        returning s.job_id, s.run_id, s.name, s.position, s.title, s.description, s.action, s.spec, s.input, s.needs, s.channel_id, s.priority,
                  s.attempt + 1 - v_first, s.lease_token, extract(epoch from s.timeout)::double precision, s.continue_on_failure, s.probability;
end $$;
