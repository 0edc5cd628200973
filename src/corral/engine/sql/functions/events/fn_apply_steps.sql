-- Write down the steps that nodes report, each under the attempt of its job, so that attempt 2 never overwrites the evidence of
-- attempt 1. The latest word of a batch counts, and what only an earlier one said stays: a quick step's start, end and job come in
-- one batch, the draw is told by the first, the output by the second. job_finished repeats every step's final state, which heals
-- steps whose own event came too late; a final state never changes. Of a distributed job, only steps within a step (those of a local
-- job, which one worker takes as a whole) are written here, under 1 + the attempt of that step. Called by fn_apply_node_events after
-- fn_apply_job_progress; the jobs are locked.
create or replace function corral.fn_apply_steps(p_events corral.judged_event[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    with told as (
        select e.job_id, e.lease_token, e.seq, e.at, e.body, case when e.type = 'step_started' then 'running' else e.body ->> 'status' end as status
          from unnest(p_events) e
         where e.outcome = 'applied' and e.type in ('step_started', 'step_finished')
        union all
        select e.job_id, e.lease_token, e.seq, e.at, s.body, s.body ->> 'status'
          from unnest(p_events) e, jsonb_array_elements(e.body -> 'steps') as s (body)
         where e.outcome = 'applied' and e.type = 'job_finished' and e.body ? 'steps'
    ), latest as (
        select distinct on (t.job_id, t.body ->> 'step') t.*, t.body ->> 'step' as name, min(t.at) over step as first_at,
               max((t.body ->> 'probability')::double precision) over step as probability,
               max((t.body ->> 'draw')::double precision) over step as draw,
               max(fn_one_of(t.body ->> 'decision', '{execute,skip}')) over step as decision,
               (array_agg(t.body -> 'input') filter (where t.body -> 'input' <> 'null') over step)[1] as input,
               (array_agg(t.body -> 'output') filter (where t.body -> 'output' <> 'null') over step)[1] as output
          from told t
        window step as (partition by t.job_id, t.body ->> 'step')
         order by t.job_id, t.body ->> 'step', (t.status = 'running'), t.seq desc
    )
    insert into job_steps as o (job_id, job_attempt, name, position, title, action, status, attempt, probability, draw, decision,
                                skip_cause, input, output, failure_reason, error_message, created_at, started_at, finished_at)
    select n.job_id, case when j.mode = 'device' then j.attempt
                          else 1 + (select l.attempt from leases l where l.job_id = n.job_id and l.lease_token = n.lease_token) end,
           n.name, coalesce((n.body ->> 'position')::integer, 0), n.body ->> 'title', n.body ->> 'action',
           n.status, coalesce((n.body ->> 'attempt')::integer, 1), n.probability, n.draw, n.decision,
           fn_one_of(n.body ->> 'skip_cause', '{draw,when,upstream,cancelled,stopped}'), n.input, n.output,
           n.body ->> 'failure_reason', n.body ->> 'error_message', fn_now(),
           fn_clamp_time(n.first_at, j.started_at, fn_now()),
           case when n.status <> 'running' then fn_clamp_time(n.at, j.started_at, fn_now()) end
      from latest n join jobs j on j.job_id = n.job_id and (j.mode = 'device' or n.body ? 'within') and j.job_id = any (array(select o.job_id from latest o))
     order by n.job_id, n.name
    on conflict (job_id, job_attempt, name) do update
       set status = excluded.status, attempt = excluded.attempt, finished_at = excluded.finished_at,
           position = greatest(o.position, excluded.position), title = coalesce(excluded.title, o.title),
           action = coalesce(excluded.action, o.action), probability = coalesce(excluded.probability, o.probability),
           draw = coalesce(excluded.draw, o.draw), decision = coalesce(excluded.decision, o.decision),
           skip_cause = coalesce(excluded.skip_cause, o.skip_cause), input = coalesce(excluded.input, o.input),
           output = coalesce(excluded.output, o.output), failure_reason = coalesce(excluded.failure_reason, o.failure_reason),
           error_message = coalesce(excluded.error_message, o.error_message)
     where o.finished_at is null;
end $$;
