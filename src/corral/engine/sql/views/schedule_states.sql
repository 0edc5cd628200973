-- Schedules as people see them: of secret params the names, and the last five firings, newest first.
create or replace view corral.schedule_states as
select s.schedule_id, s.name, s.workflow_name, s.cron, s.time_zone, s.run_request, s.overlap, s.catch_up, s.catch_up_limit, s.is_paused,
       s.next_fire_at, s.last_fired_at, s.revision, s.created_by, s.created_at, s.updated_at, corral.fn_now() as now,
       array(select k.name from corral.schedule_secrets c cross join lateral jsonb_object_keys(c.params) as k (name)
              where c.schedule_id = s.schedule_id order by k.name) as secret_params,
       coalesce((select jsonb_agg(to_jsonb(l) order by l.due_at desc, l.firing_id desc)
                   from (select f.*, r.status as run_status
                           from corral.firings f left join corral.runs r on r.run_id = f.run_id
                          where f.schedule_id = s.schedule_id
                          order by f.due_at desc, f.firing_id desc limit 5) l), '[]') as last_firings
  from corral.schedules s;
