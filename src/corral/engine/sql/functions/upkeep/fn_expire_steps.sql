-- Take back steps that are past their own deadline, although their nodes still speak: a step that started failed (step_timeout, and is
-- retried as long as attempts remain), one that never started returns to its queue. Called by upkeep until it returns 0.
-- Locks jobs in key order, then what fn_conclude_jobs locks. Returns the number of steps taken back.
create or replace function corral.fn_expire_steps(p_limit integer default 1000) returns integer
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
    select array_agg(s.job_id), array_agg(s.name) into v_jobs, v_steps
      from (select l.job_id, l.name
              from nodes n cross join lateral (
                   select s.job_id, s.name from job_steps s
                    where s.status = 'running' and s.lease_token is not null and s.lease_owner = n.node_id and s.lease_until < v_now) l
             limit coalesce(p_limit, 1000)) s;
    if v_jobs is null then
        return 0;
    end if;
    perform fn_lock_jobs(v_jobs);
    v_changes := array(
        select row(s.job_id, s.name, case when s.is_started then 'failed' else 'ready' end, 'deadline', null,
                   case when s.is_started then 'step_timeout' end,
                   format('did not %s before its deadline', case when s.is_started then 'finish' else 'start' end),
                   null, null, null, null, true)::step_change
          from unnest(v_jobs, v_steps) as u (job_id, step)
          join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
         where s.status = 'running' and s.lease_until < v_now);
    v_effects := fn_conclude_steps(v_changes);
    perform fn_conclude_jobs(v_effects.changes, v_effects.news);
    return cardinality(v_changes);
end $$;
