-- Chains: distributed jobs of a channel whose tasks are done one after the other. The owner is who was given a task of it last.
create or replace view corral.chain_states as
select j.job_id as chain_id, r.source_id::uuid as channel_id, r.name, j.input ->> 'description' as description, j.status, j.is_open,
       (select s.lease_owner from corral.job_steps s
         where s.job_id = j.job_id and s.job_attempt = 1 and s.granted_at is not null
         order by s.granted_at desc, s.position desc limit 1) as owner_node_id,
       j.steps_done, j.steps_total, r.created_at, j.started_at, j.finished_at
  from corral.runs r
  join corral.jobs j on j.run_id = r.run_id and j.mode = 'distributed'
 where r.source_type = 'channel' and r.source_id is not null;
