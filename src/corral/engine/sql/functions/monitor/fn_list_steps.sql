-- The steps of a job in their order, as JSON: those that its recipe names, and beside them what was reported of its present attempt.
-- A step that nobody reported yet is pending. Of a local job, the steps within its one step whole-job. Neither inputs nor outputs: they may be large. An empty list where there is no job.
-- Called by fn_get_selected.
create or replace function corral.fn_list_steps(p_job_id uuid) returns json
language sql stable
set search_path = corral, pg_catalog
as $$
    with planned as (
        select p.place::integer as position, p.step ->> 'id' as name, p.step ->> 'title' as title, p.step ->> 'uses' as action
          from jobs j
          join runs r on r.run_id = j.run_id
          join workflows w on w.workflow_id = r.workflow_id,
               jsonb_array_elements(case jsonb_typeof(w.recipe -> 'steps') when 'array' then w.recipe -> 'steps' else '[]' end)
                   with ordinality as p (step, place)
         where j.job_id = p_job_id
    ), reported as (
        select s.*
          from jobs j join job_steps s on s.job_id = j.job_id
               and s.job_attempt = case when j.mode = 'device' then greatest(j.attempt, 1)
                                        else (select max(o.job_attempt) from job_steps o where o.job_id = j.job_id) end
               and s.name <> 'whole-job'
         where j.job_id = p_job_id
    )
    select coalesce(json_agg(l), '[]')
      from (select coalesce(nullif(s.position, 0), p.position, 0) as position, coalesce(s.name, p.name) as step,
                   coalesce(s.title, p.title) as title, coalesce(s.action, p.action) as action, coalesce(s.status, 'pending') as status,
                   coalesce(s.attempt, 0) as attempt, s.probability, s.decision, s.skip_cause, s.failure_reason, s.error_message,
                   s.started_at, s.finished_at
              from planned p full join reported s on s.name = p.name
             order by 1, 2) l
$$;
