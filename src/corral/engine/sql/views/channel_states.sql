-- Channels, with how many of their tasks wait, are in progress, and ended how.
create or replace view corral.channel_states as
select c.channel_id as id, c.name, c.description, c.created_at, t.waiting, t.in_progress, t.done, t.failed
  from corral.channels c
 cross join lateral (
       select count(*) filter (where s.status in ('pending', 'ready')) as waiting, count(*) filter (where s.status = 'running') as in_progress,
              count(*) filter (where s.status = 'succeeded') as done,
              count(*) filter (where s.status in ('failed', 'skipped', 'cancelled')) as failed
         from corral.job_steps s where s.channel_id = c.channel_id) t;
