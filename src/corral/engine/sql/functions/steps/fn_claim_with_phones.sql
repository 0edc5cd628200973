-- Claim ready steps as fn_claim_ready_steps does, for a node that also offers these phones of its own: see fn_list_phones. A step that
-- requires one is for a single phone that has all of it, and each phone brings one step at most: that of the fewest capabilities, so
-- that the others are left to steps which need them. What finds no phone is left to other nodes, and the room to other steps.
-- Returns them round by round, in claim order each. Locks and raises what fn_claim_ready_steps does.
create or replace function corral.fn_claim_with_phones(
    p_node_id text, p_epoch integer, p_phones text[], p_want integer, p_request_id uuid)
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
    v_phones     text[] := array(select p.serial from fn_list_phones(p_node_id, p_phones) p);
    v_room       integer;
    v_is_repeat  boolean;
    v_demands    integer[];
    v_picked     tid[];
    v_fit        tid[];
    v_is_again   boolean;
    v_is_given   boolean := false;
    v_setting    text;
begin
    select least(p_want, v_node.max_concurrency + v_node.lookahead - count(*)::integer
                         - (select count(*)::integer from lanes l where l.node_id = p_node_id and l.lease_token is not null)),
           coalesce(bool_or(s.request_id = p_request_id), false)
      into v_room, v_is_repeat
      from job_steps s
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id;
    if v_is_repeat then
        return query select c.* from fn_claim_ready_steps(p_node_id, p_epoch, null, null, 0, p_request_id) c;
        return;
    end if;

    while v_room > 0 and not v_node.draining loop
        v_demands := array(
            with phones as materialized (select p.capabilities from fn_list_phones(p_node_id, v_phones) p)
            select d.demand_id from demands d
             where d.requires <@ v_node.capabilities
                or exists (select 1 from phones p where d.requires <@ (v_node.capabilities || p.capabilities)));
        select p.places, p.is_repeatable into v_picked, v_is_again from fn_pick_steps(v_demands, null, v_room) p;
        select f.places, f.phones_left into v_fit, v_phones from fn_fit_phones(v_node, v_phones, v_picked) f;
        exit when v_fit = '{}';
        return query select g.* from fn_grant_steps(v_node, p_request_id, v_fit) g;
        v_is_alone := v_is_alone and v_is_again;
        v_is_given := true;
        exit when v_fit = v_picked;
        v_room := v_room - cardinality(v_fit);
    end loop;
    if v_is_alone and v_is_given then
        v_setting := set_config('synchronous_commit', 'off', true);
    end if;
end $$;
