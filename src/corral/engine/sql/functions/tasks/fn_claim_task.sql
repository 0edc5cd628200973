-- Give an agent the next task of a channel: the next one of a chain in progress, its own chains first; then the first one of a queued
-- chain; each by priority, then age. The same p_idempotency_key again returns the same task, whatever became of it.
-- A claim is a sign of life: it renews the agent's lease. Nothing for a draining or a fully loaded agent.
-- Locks the agent, under which claims with the same key follow one another, then the task, skipping locked ones; then the run's stripe.
-- Raises CR102 unknown_node.
create or replace function corral.fn_claim_task(p_node_id text, p_channel_id uuid, p_idempotency_key text)
returns table (job_id uuid, name text)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now     timestamptz := fn_now();
    v_node    nodes := fn_renew_node_lease(p_node_id, (select n.epoch from nodes n where n.node_id = p_node_id for no key update));
    v_places  tid[];
    v_task    job_steps;
begin
    if exists (select 1 from task_claims c where c.node_id = p_node_id and c.idempotency_key = p_idempotency_key) then
        return query select c.job_id, c.step from task_claims c
                      where c.node_id = p_node_id and c.idempotency_key = p_idempotency_key;
        return;
    elsif v_node.draining or not fn_has_free_slot(v_node) then
        return;
    end if;
    v_places := array(
        select s.ctid from job_steps s join demands d on d.demand_id = s.demand_id and d.requires <@ v_node.capabilities
         where s.status = 'ready' and s.channel_id = p_channel_id and s.claim_rank = 0 and s.lease_owner = p_node_id
           and (s.available_at is null or s.available_at <= v_now)
         order by s.priority desc, s.ready_seq
         limit 1
           for no key update of s skip locked);
    if v_places = '{}' then
        v_places := fn_pick_steps(array(select d.demand_id from demands d where d.requires <@ v_node.capabilities), p_channel_id, 1);
    end if;
    if v_places = '{}' then
        return;
    end if;
    return query select t.job_id, t.name from fn_grant_task(v_node, v_places[1], p_idempotency_key) t;
end $$;
