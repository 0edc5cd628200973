-- Claim ready steps as fn_claim_ready_steps does, for a node that also offers these phones of its own: see fn_list_phones.
-- Locks and raises what fn_claim_ready_steps does.
create or replace function corral.fn_claim_with_phones(
    p_node_id text, p_epoch integer, p_phones text[], p_want integer, p_request_id uuid)
returns table (job_id uuid, run_id uuid, name text, "position" integer, title text, description text, action text, spec jsonb, input jsonb,
               needs text[], channel_id uuid, priority integer, attempt integer, lease_token uuid, timeout_s double precision,
               continue_on_failure boolean, probability double precision)
language sql volatile rows 50
set search_path = corral, pg_catalog
as $$
    select c.* from fn_claim_ready_steps(
        p_node_id, p_epoch,
        (select n.capabilities || array(select distinct unnest(p.capabilities) from fn_list_phones(p_node_id, p_phones) p)
           from nodes n where n.node_id = p_node_id),
        null, p_want, p_request_id) c
$$;
