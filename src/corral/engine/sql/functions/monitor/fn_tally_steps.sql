-- How each step of a run went over all its jobs: those that the recipe names, in its order, and what was reported of each job's
-- present attempt. A job that never came as far as a step (an earlier one failed, or it was cancelled) was not drawn for it,
-- whatever its node wrote down. Called by readers of a run whose version changed. Reads the run's steps by key, locks nothing.
-- Raises CR001 not_found.
create or replace function corral.fn_tally_steps(p_run_id uuid)
returns table ("position" integer, step text, title text, action text, probability double precision, jobs integer, chosen integer,
               left_out integer, running integer, succeeded integer, failed integer, skipped integer, cancelled integer,
               median_s double precision)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_recipe  jsonb;
    v_jobs    integer;
begin
    select w.recipe into v_recipe from runs r join workflows w on w.workflow_id = r.workflow_id where r.run_id = p_run_id;
    if v_recipe is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    select count(*) into v_jobs from jobs j where j.run_id = p_run_id;

    return query
    with planned as (
        select p.place::integer as position, p.step ->> 'id' as name, p.step ->> 'title' as title, p.step ->> 'uses' as action,
               (p.step ->> 'probability')::double precision as probability
          from jsonb_array_elements(case jsonb_typeof(v_recipe -> 'steps') when 'array' then v_recipe -> 'steps' else '[]' end)
                   with ordinality as p (step, place)
    ), reported as (
        select s.name, max(s.position) as position, max(s.title) as title, max(s.action) as action, max(s.probability) as probability,
               count(*) filter (where s.decision = 'execute' and coalesce(s.skip_cause, 'when') = 'when') as chosen,
               count(*) filter (where s.skip_cause = 'draw') as left_out,
               count(*) filter (where s.status = 'running') as running,
               count(*) filter (where s.status = 'succeeded') as succeeded,
               count(*) filter (where s.status = 'failed') as failed,
               count(*) filter (where s.status = 'skipped' and s.skip_cause is distinct from 'draw') as skipped,
               count(*) filter (where s.status = 'cancelled') as cancelled,
               percentile_cont(0.5) within group (order by extract(epoch from s.finished_at - s.started_at)::double precision)
                   filter (where s.status in ('succeeded', 'failed')) as median_s
          from jobs j
          join job_steps s on s.job_id = j.job_id
               and s.job_attempt = case when j.mode = 'device' then greatest(j.attempt, 1) else 1 end
         where j.run_id = p_run_id
         group by s.name
    )
    select coalesce(nullif(s.position, 0), p.position, 0), coalesce(s.name, p.name), coalesce(s.title, p.title),
           coalesce(s.action, p.action), coalesce(s.probability, p.probability, 1), v_jobs, coalesce(s.chosen, 0)::integer,
           coalesce(s.left_out, 0)::integer, coalesce(s.running, 0)::integer, coalesce(s.succeeded, 0)::integer,
           coalesce(s.failed, 0)::integer, coalesce(s.skipped, 0)::integer, coalesce(s.cancelled, 0)::integer, s.median_s
      from planned p full join reported s on s.name = p.name
     order by 1, 2;
end $$;
