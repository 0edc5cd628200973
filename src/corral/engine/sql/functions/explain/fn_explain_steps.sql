-- Why the ready steps of a distributed run wait to be claimed, in the order in which they would be. Reasons: cancelling, gate_full,
-- retry_wait, no_capable_node (it fails once that has lasted for the run's wait_timeout), steps_waiting. Steps that wait for their needs
-- are not listed, but for the tasks of a chain, which come last. Those wait for an agent as long as it takes, and have reasons of
-- their own: tasks_waiting, behind_task, task_locked. Called by fn_explain_run. Locks nothing.
create or replace function corral.fn_explain_steps(p_run corral.runs, p_gate corral.run_gates, p_limit integer default 1000)
returns table (job_id uuid, device_id uuid, index_no integer, serial text, node_id text, status text, reason text, message text,
               since timestamptz, ahead integer, ahead_run_id uuid, expected_start_at timestamptz, step text)
language sql stable rows 100
set search_path = corral, pg_catalog
as $$
    with waiting as materialized (
        select s.job_id, s.name, s.requires, s.demand_id, coalesce(s.ready_at, s.created_at) as since, s.available_at, s.claim_rank, s.priority,
               s.ready_seq, s.position, j.status, s.attempt, s.status = 'pending' as is_behind, s.needs, s.channel_id is not null as is_task,
               c.is_locked as is_chain_locked, coalesce(t.is_locked, false) or coalesce(c.is_locked, false) as is_locked
          from jobs j
          join job_steps s on s.job_id = j.job_id and s.job_attempt = 1
           and (s.status = 'ready' or (s.status = 'pending' and s.channel_id is not null))
          left join chains c on c.chain_id = s.job_id
          left join tasks t on t.chain_id = s.job_id and t.step = s.name
         where j.run_id = p_run.run_id and j.mode = 'distributed' and j.finished_at is null
         order by s.status = 'pending', s.claim_rank, s.priority desc, s.ready_seq, s.position
         limit coalesce(p_limit, 1000)
    ), served as materialized (
        select d.demand_id, d.unserved_since, fn_is_served(d.requires) as is_served
          from demands d where d.demand_id in (select w.demand_id from waiting w)
    ), judged as (
        select w.*, d.unserved_since,
               case when p_run.cancel_requested_at is not null then 'cancelling'
                    when w.is_locked then 'task_locked'
                    when w.is_behind then 'behind_task'
                    when w.available_at = 'infinity' then 'gate_full'
                    when not w.is_task and not d.is_served then 'no_capable_node'
                    when w.available_at > fn_now() then 'retry_wait'
                    when w.is_task then 'tasks_waiting'
                    else 'steps_waiting' end as rule
          from waiting w left join served d on d.demand_id = w.demand_id
    )
    select w.job_id, null::uuid, null::integer, null::text, null::text, w.status, w.rule,
           case w.rule
               when 'cancelling' then 'the run is being cancelled'
               when 'task_locked' then case when w.is_chain_locked then 'a person locked its chain' else 'a person locked it' end
               when 'behind_task' then format('behind task %s of its chain', array_to_string(w.needs, ', '))
               when 'tasks_waiting' then 'next when an agent claims it'
               when 'gate_full' then format('the run has all of its %s allowed steps in flight', p_gate.cap)
               when 'no_capable_node' then format('no live node is capable of %s; the step fails when that has lasted for %s s',
                                                  case when w.requires = '{}' then 'anything' else array_to_string(w.requires, ', ') end,
                                                  extract(epoch from p_run.wait_timeout)::double precision)
               when 'retry_wait' then format('attempt %s failed; it is tried again later', w.attempt)
               else 'next when a node that is capable of it asks for work' end,
           case w.rule when 'cancelling' then p_run.cancel_requested_at
                       when 'no_capable_node' then greatest(w.unserved_since, w.since) else w.since end,
           0, null::uuid,
           case w.rule when 'steps_waiting' then fn_now() when 'retry_wait' then w.available_at end, w.name
      from judged w
     order by w.is_behind, w.claim_rank, w.priority desc, w.ready_seq, w.position
$$;
