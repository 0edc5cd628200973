-- Schedules as whoever fires them needs them, secrets included, with the clock that they are judged by: one of them, or those that are
-- due, at most p_limit. For upkeep and for running and changing one by hand, never for views: it holds secrets.
create or replace function corral.fn_list_schedule_plans(p_schedule_id uuid default null, p_limit integer default 100)
returns table (schedule_id uuid, name text, workflow_name text, cron text, time_zone text, run_request jsonb, secret_params jsonb,
               overlap text, catch_up text, catch_up_limit integer, is_paused boolean, revision integer, next_fire_at timestamptz,
               now timestamptz)
language sql stable
set search_path = corral, pg_catalog
as $$
    select s.schedule_id, s.name, s.workflow_name, s.cron, s.time_zone, s.run_request, coalesce(c.params, '{}'), s.overlap, s.catch_up,
           s.catch_up_limit, s.is_paused, s.revision, s.next_fire_at, fn_now()
      from schedules s
      left join schedule_secrets c on c.schedule_id = s.schedule_id
     where case when p_schedule_id is null then not s.is_paused and s.next_fire_at <= fn_now() else s.schedule_id = p_schedule_id end
     order by s.next_fire_at, s.schedule_id
     limit coalesce(p_limit, 100)
$$;
