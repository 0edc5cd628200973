-- Fail ready steps whose demand no live node has been capable of for longer than their run's wait_timeout (rule 5: no run waits for
-- ever). Tasks in channels wait for their agents as long as it takes. Called by upkeep until it returns 0: each call notes which
-- demands are unserved, and since when. Locks demands, then jobs, then steps, each in key order, then what fn_conclude_jobs
-- locks. Returns the number of steps failed.
create or replace function corral.fn_fail_unclaimable_steps(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_jobs     uuid[];
    v_steps    text[];
    v_changes  step_change[];
    v_effects  job_effects;
begin
    if not fn_verdicts_are_open() then
        return 0;
    end if;
    with served as materialized (
        select d.demand_id, d.unserved_since, fn_is_served(d.requires) as is_served
          from demands d
    )
    update demands d
       set unserved_since = case when not s.is_served then v_now end
      from served s
     where d.demand_id = s.demand_id and s.is_served = (s.unserved_since is not null);

    select array_agg(w.job_id), array_agg(w.name) into v_jobs, v_steps
      from (select s.job_id, s.name
              from demands d
              join job_steps s on s.demand_id = d.demand_id and s.status = 'ready' and s.channel_id is null
              join jobs j on j.job_id = s.job_id
              join runs r on r.run_id = j.run_id
             where d.unserved_since is not null and greatest(d.unserved_since, s.ready_at) <= v_now - r.wait_timeout
             limit coalesce(p_limit, 1000)) w;
    if v_jobs is null then
        return 0;
    end if;
    perform fn_lock_jobs(v_jobs);
    perform 1 from unnest(v_jobs, v_steps) as u (job_id, step)
       join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
      where s.status = 'ready' order by s.job_id, s.name for no key update of s;
    v_changes := array(
        select row(s.job_id, s.name, 'failed', null, null, 'no_capable_node',
                   format('no live node is capable of %s', case when s.requires = '{}' then 'anything'
                                                                else array_to_string(s.requires, ', ') end),
                   null, null, null, null, false)::step_change
          from unnest(v_jobs, v_steps) as u (job_id, step)
          join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
         where s.status = 'ready');
    v_effects := fn_conclude_steps(v_changes);
    perform fn_conclude_jobs(v_effects.changes, v_effects.news);
    return cardinality(v_changes);
end $$;
