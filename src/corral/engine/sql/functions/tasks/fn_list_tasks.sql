-- Tasks of a channel, a chain, a status of the coordinator door, or all: those that have not ended, oldest first, then the others,
-- newest first; of a chain, in its order. Whatever ended long ago is not read to find what has not.
create or replace function corral.fn_list_tasks(p_channel_id uuid, p_chain_id uuid, p_status text, p_limit integer)
returns table (task_id uuid)
language sql stable
set search_path = corral, pg_catalog
as $$
    with open as (
        select t.task_id, s.position,
               case when s.status = 'running' then 'in_progress' when t.is_locked then 'locked' else 'queued' end as status
          from channels c
          join job_steps s on s.channel_id = c.channel_id and s.status in ('pending', 'ready', 'running')
          join tasks t on t.chain_id = s.job_id and t.step = s.name
         where (p_channel_id is null or c.channel_id = p_channel_id) and (p_chain_id is null or s.job_id = p_chain_id)
    ), ended as (
        select t.task_id, s.position
          from tasks t join job_steps s on s.job_id = t.chain_id and s.job_attempt = 1 and s.name = t.step
         where coalesce(p_status, 'done') in ('done', 'failed') and s.finished_at is not null and (p_channel_id is null or s.channel_id = p_channel_id)
           and (p_chain_id is null or t.chain_id = p_chain_id)
           and coalesce(p_status, case s.status when 'succeeded' then 'done' else 'failed' end)
               = case s.status when 'succeeded' then 'done' else 'failed' end
         order by t.task_id desc
         limit p_limit
    ), found as (
        select o.task_id, o.position, false as is_over from open o where p_status is null or o.status = p_status
        union all
        select e.task_id, e.position, true from ended e
    )
    select f.task_id from found f
     order by case when p_chain_id is not null then f.position end, f.is_over,
              case when not f.is_over then f.task_id end, f.task_id desc
     limit p_limit
$$;
