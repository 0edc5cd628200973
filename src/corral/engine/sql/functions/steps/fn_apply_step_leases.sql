-- Apply what nodes reported about steps of distributed jobs: step_started and step_finished, already judged and recorded.
-- Steps within a step (a local job's) are fn_apply_steps' to write down, and only news here. A step that its node gave up unasked (cancelled in a run that is not) goes back to its queue.
-- Called by fn_apply_node_events, which holds the jobs' locks. Returns the jobs that ended thereby, and all that moved.
create or replace function corral.fn_apply_step_leases(p_events corral.judged_event[]) returns corral.job_effects
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_began    step_change[];
    v_ended    step_change[];
    v_within   uuid[];
    v_effects  job_effects;
begin
    with told as materialized (
        select e.job_id, e.body ->> 'step' as step, e.type = 'step_finished' as is_end, e.body, e.seq, e.at,
               min(e.at) filter (where e.type = 'step_started') over w as began_at,
               bool_or(e.type = 'step_finished') over w as has_end,
               row_number() over (partition by e.job_id, e.lease_token, e.type order by e.seq desc, e.ord desc) as place
          from unnest(p_events) e
          join jobs j on j.job_id = e.job_id and j.mode = 'distributed'
         where e.outcome = 'applied' and e.type in ('step_started', 'step_finished') and not e.body ? 'within'
        window w as (partition by e.job_id, e.lease_token)
    )
    select array_agg(row(t.job_id, t.step, 'running', null, null, null, null, null, t.seq, t.at, t.at, false)::step_change)
               filter (where not t.has_end),
           array_agg(row(t.job_id, t.step,
                         case when t.body ->> 'status' = 'cancelled' then 'ready' else t.body ->> 'status' end,
                         case when t.body ->> 'status' = 'cancelled' then 'interrupted' else 'finished' end,
                         fn_one_of(t.body ->> 'skip_cause', '{draw,when}'), t.body ->> 'failure_reason', t.body ->> 'error_message',
                         nullif(t.body -> 'output', 'null'), t.seq, t.began_at, t.at,
                         coalesce(t.body ->> 'retryable', 'true') <> 'false'
                             and coalesce(t.body ->> 'failure_reason', '') <> 'template_error')::step_change)
               filter (where t.is_end)
      into v_began, v_ended
      from told t
     where t.place = 1;
    v_effects := fn_conclude_steps(v_ended);
    v_effects.news := v_effects.news || fn_begin_steps(v_began);
    v_within := array(select distinct e.job_id from unnest(p_events) e
                       where e.outcome = 'applied' and e.type in ('step_started', 'step_finished') and e.body ? 'within');
    if v_within <> '{}' then
        v_effects.news := v_effects.news || fn_list_job_news(v_within);
    end if;
    return v_effects;
end $$;
