-- Give a node up to p_want ready steps that it is capable of: FIFO within a priority, from a channel or from outside of channels.
-- p_capabilities null: those that the node registered with. Repeated freely: a repeated p_request_id returns what it
-- already got and still holds. Never more leases than max_concurrency + lookahead, lanes included; a draining node gets nothing.
-- Where nothing was written before it in its transaction, and all that it grants may be done again, its commit does not wait for the
-- disk: a claim that a crash of PostgreSQL forgets was never made (docs/decisions/0009).
-- Locks the node, then steps, skipping locked ones. Raises CR101 stale_epoch, CR102 unknown_node.
create or replace function corral.fn_claim_ready_steps(
    p_node_id text, p_epoch integer, p_capabilities text[], p_channel_id uuid, p_want integer, p_request_id uuid)
returns table (job_id uuid, run_id uuid, name text, "position" integer, title text, description text, action text, spec jsonb, input jsonb,
               needs text[], channel_id uuid, priority integer, attempt integer, lease_token uuid, timeout_s double precision,
               continue_on_failure boolean, probability double precision)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
    v_is_alone   boolean := pg_current_xact_id_if_assigned() is null;
    v_node       nodes := fn_renew_node_lease(p_node_id, p_epoch);
    v_room       integer;
    v_is_repeat  boolean;
    v_demands    integer[];
    v_places     tid[];
    v_is_again   boolean;
    v_setting    text;
begin
    select least(p_want, v_node.max_concurrency + v_node.lookahead - count(*)::integer
                         - (select count(*)::integer from lanes l where l.node_id = p_node_id and l.lease_token is not null)),
           coalesce(bool_or(s.request_id = p_request_id), false),
           array(select d.demand_id from demands d where d.requires <@ coalesce(p_capabilities, v_node.capabilities))
      into v_room, v_is_repeat, v_demands
      from job_steps s
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id;

    if v_is_repeat then
        return query
            select s.job_id, j.run_id, s.name, s.position, s.title, s.description, s.action, s.spec, s.input, s.needs, s.channel_id,
                   s.priority, s.attempt + 1, s.lease_token, extract(epoch from s.timeout)::double precision, s.continue_on_failure,
                   s.probability
              from job_steps s join jobs j on j.job_id = s.job_id
             where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id and s.request_id = p_request_id
             order by s.claim_rank, s.priority desc, s.ready_seq;
    elsif v_room > 0 and not v_node.draining then
        select p.places, p.is_repeatable into v_places, v_is_again from fn_pick_steps(v_demands, p_channel_id, v_room) p;
        if v_is_alone and v_is_again then
            v_setting := set_config('synchronous_commit', 'off', true);
        end if;
        if v_places <> '{}' then
            return query select g.* from fn_grant_steps(v_node, p_request_id, v_places) g;
        end if;
    end if;
end $$;
