-- Chains as the coordinator door shows them: what became of their tasks so far. The owner is who was given a task of it last.
create or replace view corral.chain_states as
select c.chain_id as id, c.channel_id, c.name, c.description, c.place,
       case when j.status in ('failed', 'cancelled') or t.failed > 0 then 'failed'
            when j.status = 'succeeded' or (t.total > 0 and t.done = t.total) then 'done'
            when c.is_locked then 'locked'
            when t.running > 0 or t.done > 0 then 'in_progress'
            else 'queued' end as status,
       corral.fn_agent_of(t.owner) as owner_agent_id, c.created_at, greatest(c.updated_at, t.moved_at) as updated_at
  from corral.chains c
  join corral.jobs j on j.job_id = c.chain_id
 cross join lateral (
       select count(*) as total, count(*) filter (where s.status = 'succeeded') as done, count(*) filter (where s.status = 'running') as running,
              count(*) filter (where s.status in ('failed', 'skipped', 'cancelled')) as failed,
              (array_agg(s.lease_owner order by s.granted_at desc, s.position desc) filter (where s.granted_at is not null))[1] as owner,
              greatest(max(s.granted_at), max(s.finished_at)) as moved_at
         from corral.job_steps s where s.job_id = c.chain_id and s.job_attempt = 1) t;
