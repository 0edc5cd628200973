-- What follows from the end of steps: their dependents are told, their jobs count down, and those in which nothing is left are over.
-- The arrays are parallel: each ended step, whether it keeps its dependents from running, and who did it. p_started are jobs of which
-- a step has begun. Capped jobs let in what waits for a place. Called under the jobs' locks, after the steps changed. Returns the
-- jobs that ended thereby, for fn_conclude_jobs, and all that moved: those that started just now as running, which sets their runs running.
create or replace function corral.fn_count_down_jobs(
    p_job_ids uuid[], p_steps text[], p_is_unmet boolean[], p_owners text[], p_started uuid[])
returns corral.job_effects
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = on set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_now      timestamptz := fn_now();
    v_effects  job_effects := row('{}', '{}');
    v_over     uuid[];
    v_gated    uuid[];
begin
    if exists (select 1 from step_needs n where n.job_id = any (p_job_ids)) then
        p_job_ids := p_job_ids || fn_promote_dependents(p_job_ids, p_steps, p_is_unmet, p_owners);
    end if;
    with counted as materialized (
        select u.job_id, sum(u.over)::integer as over, bool_or(u.over = 0) as is_begun
          from (select o.job_id, 1 as over from unnest(p_job_ids) as o (job_id)
                union all select b.job_id, 0 from unnest(p_started) as b (job_id)) u
         group by u.job_id
    ), moved as (
        update jobs j
           set open_steps = j.open_steps - c.over,
               steps_done = j.steps_done + c.over,
               status = case when c.is_begun then 'running' else j.status end,
               attempt = case when c.is_begun then 1 else j.attempt end,
               is_started = j.is_started or c.is_begun,
               started_at = coalesce(j.started_at, case when c.is_begun then v_now end)
          from counted c
         where j.job_id = c.job_id and j.finished_at is null and (c.over > 0 or not j.is_started)
        returning j.job_id, j.run_id, j.node_id, j.is_started, j.is_gated, j.open_steps = 0 and not j.is_open as is_over,
                  case when j.started_at = v_now then 'running' else 'noted' end as news
    )
    select array_agg(m.job_id) filter (where m.is_over),
           coalesce(array_agg(row(m.job_id, m.run_id, null, m.node_id, null, m.news, null, null, false, false, null)::job_ended)
                        filter (where m.is_started), '{}'),
           array_agg(m.job_id) filter (where m.is_gated)
      into v_over, v_effects.news, v_gated
      from moved m;
    if v_over is not null then
        v_effects.changes := fn_read_job_outcomes(v_over);
    end if;
    if v_gated is not null then
        perform fn_admit_steps(v_gated);
    end if;
    return v_effects;
end $$;
