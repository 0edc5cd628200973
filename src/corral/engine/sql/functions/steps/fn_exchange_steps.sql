-- Report on steps and claim the next ones: fn_complete_steps and then fn_claim_ready_steps, in one transaction, so that a worker that
-- is always busy needs one round trip and one commit a batch. What the report frees and readies can be claimed by the same call.
-- Repeated freely, like both. The first row holds the outcomes of the report and nothing else; each other one a step.
-- Locks the node, then what the two lock. Raises what they raise; then nothing was reported.
create or replace function corral.fn_exchange_steps(
    p_node_id text, p_epoch integer, p_job_ids uuid[], p_steps text[], p_tokens uuid[], p_statuses text[], p_details jsonb,
    p_capabilities text[], p_channel_id uuid, p_want integer, p_request_id uuid)
returns table (outcomes text[], job_id uuid, run_id uuid, name text, "position" integer, title text, description text, action text,
               spec jsonb, input jsonb, needs text[], channel_id uuid, priority integer, attempt integer, lease_token uuid,
               timeout_s double precision, continue_on_failure boolean, probability double precision)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    perform 1 from nodes n where n.node_id = p_node_id for no key update;
    outcomes := fn_complete_steps(p_node_id, p_job_ids, p_steps, p_tokens, p_statuses, p_details);
    return next;
    return query
        select null::text[], c.*
          from fn_claim_ready_steps(p_node_id, p_epoch, p_capabilities, p_channel_id, p_want, p_request_id) c;
end $$;
