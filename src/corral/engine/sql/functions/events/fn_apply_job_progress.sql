-- Move jobs on by the events that were applied: the first word of a lease starts its attempt, whichever event carries it (rule 7),
-- and steps move the progress. Called by fn_apply_node_events; the jobs are locked. Returns what changed, for the runs' versions.
-- A job that was given back before it started costs no attempt. One that ends for good needs no more of this; one that goes back
-- to its queue remembers its sequence, so that what was overtaken stays stale (rule 9).
create or replace function corral.fn_apply_job_progress(p_events corral.judged_event[]) returns corral.job_ended[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off
as $$
declare
    v_news  job_ended[];
begin
    with told as materialized (
        select e.job_id, max(e.seq) as seq, min(e.at) as at,
               bool_and(e.type = 'job_finished' and e.body ->> 'outcome' in ('succeeded', 'failed')) as is_ending,
               bool_and(e.type = 'job_finished' and e.body ->> 'outcome' in ('interrupted', 'cancelled')) as is_given_back,
               (array_agg(e.body ->> 'step' order by e.seq desc) filter (where e.type = 'step_started'))[1] as current_step,
               max((e.body ->> 'position')::integer) filter (where e.type = 'step_finished') as steps_done,
               max((e.body ->> 'total')::integer) as steps_total
          from unnest(p_events) e
         where e.outcome = 'applied' and (e.type in ('job_started', 'step_started', 'step_finished', 'job_finished')
                                          or (e.type = 'test_results' and not e.is_started))
         group by e.job_id
    ), moved as (
        update jobs j
           set state_seq = greatest(j.state_seq, t.seq),
               status = case when j.status = 'leased' and not t.is_given_back then 'running' else j.status end,
               attempt = case when j.is_started or t.is_given_back then j.attempt else j.attempt + 1 end,
               is_started = j.is_started or not t.is_given_back,
               started_at = coalesce(j.started_at, case when not t.is_given_back then fn_clamp_time(t.at, j.leased_at, fn_now()) end),
               deadline_at = case when j.is_started or j.deadline_at is null then j.deadline_at
                                  else fn_now() + j.timeout + (select s.deadline_slack from settings s) end,
               current_step = coalesce(t.current_step, j.current_step),
               steps_done = greatest(j.steps_done, t.steps_done),
               steps_total = coalesce(t.steps_total, j.steps_total)
          from told t
         where j.job_id = t.job_id and j.job_id = any (array(select o.job_id from told o)) and j.mode = 'device'
           and not (t.is_ending and j.is_started)
        returning j.job_id, j.run_id, j.node_id, t.is_given_back and not j.is_started as is_untouched
    )
    select coalesce(array_agg(row(m.job_id, m.run_id, null, m.node_id, null, 'running', null, null, false, false, null)::job_ended), '{}')
      into v_news
      from moved m where not m.is_untouched;
    return v_news;
end $$;
