-- Give an agent the next task of a channel: the next one of a chain in progress, its own chains first; then the first one of the oldest
-- queued chain; each by priority, then age. The same p_idempotency_key again returns the same task, whatever became of it.
-- A claim is a sign of life: it renews the agent's lease. Returns null where there is nothing to do.
-- Locks the agent, under which claims with the same key follow one another, then the task, skipping locked ones; then the run's stripe.
-- Raises CR001 not_found.
create or replace function corral.fn_claim_task(p_agent_id text, p_channel_id uuid, p_idempotency_key text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now     timestamptz := fn_now();
    v_owner   text := fn_agent_owner(p_agent_id);
    v_demand  integer := (select d.demand_id from demands d where d.requires = '{}');
    v_task    uuid;
    v_places  tid[];
begin
    if not exists (select 1 from channels c where c.channel_id = p_channel_id) then
        raise exception 'no channel %', p_channel_id using errcode = 'CR001', detail = 'channel_id';
    end if;
    perform fn_admit_agent(p_agent_id, true);
    select t.task_id into v_task
      from task_claims c join tasks t on t.chain_id = c.job_id and t.step = c.step
     where c.node_id = v_owner and c.idempotency_key = p_idempotency_key;
    if v_task is not null then
        return v_task;
    end if;
    v_places := array(
        select s.ctid from job_steps s
         where s.status = 'ready' and s.channel_id = p_channel_id and s.claim_rank = 0 and s.lease_owner = v_owner
           and (s.available_at is null or s.available_at <= v_now)
         order by s.priority desc, s.ready_seq
         limit 1
           for no key update of s skip locked);
    if v_places = '{}' then
        v_places := (fn_pick_steps(array[v_demand], p_channel_id, 1)).places;
    end if;
    if v_places = '{}' then
        return null;
    end if;
    return fn_grant_task(p_agent_id, v_places[1], p_idempotency_key);
end $$;
