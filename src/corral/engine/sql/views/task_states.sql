-- Tasks as the coordinator door shows them: steps of chains, in its words. One that is behind a failed one failed with it.
create or replace view corral.task_states as
select t.task_id as id, t.chain_id, s.position as sequence, s.channel_id, s.title, s.description,
       case s.status when 'running' then 'in_progress' when 'succeeded' then 'done' when 'failed' then 'failed'
                     when 'skipped' then 'failed' when 'cancelled' then 'failed'
                     else case when t.is_locked then 'locked' else 'queued' end end as status,
       s.priority,
       case when s.status not in ('pending', 'ready') and s.granted_at is not null
            then corral.fn_agent_of(s.lease_owner) end as assigned_agent_id,
       -- A transaction's time is that of its beginning: a claim that began before the task in front was done came after it nevertheless.
       s.created_at, case when s.status not in ('pending', 'ready') and s.granted_at is not null
                          then greatest(s.granted_at, s.ready_at) end as claimed_at,
       s.finished_at as done_at,
       greatest(s.created_at, t.updated_at, s.granted_at, s.finished_at) as updated_at,
       case s.status when 'failed' then coalesce(s.error_message, s.failure_reason) when 'skipped' then 'a task before it failed'
                     when 'cancelled' then 'it was cancelled' end as reason
  from corral.tasks t
  join corral.job_steps s on s.job_id = t.chain_id and s.job_attempt = 1 and s.name = t.step;
