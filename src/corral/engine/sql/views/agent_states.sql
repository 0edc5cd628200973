-- Agents as the coordinator door shows them. The current task is what the agent said, or else the last one that it was given.
create or replace view corral.agent_states as
select a.agent_id as id, a.name, a.status,
       coalesce(a.current_task_id,
                (select t.task_id::text
                   from corral.job_steps s join corral.tasks t on t.chain_id = s.job_id and t.step = s.name
                  where s.status = 'running' and s.lease_token is not null and s.lease_owner = corral.fn_agent_owner(a.agent_id)
                  order by s.granted_at desc limit 1)) as current_task_id,
       a.last_seen, a.meta, a.created_at, a.updated_at,
       case when a.last_seen >= corral.fn_now() - interval '30 s' then 'online' else 'offline' end as worker_status
  from corral.agents a;
