-- How distributed jobs end whose steps have all ended: cancelled if a step was, failed if a step failed and nobody said to go on,
-- succeeded otherwise, with the outputs of the steps that no other step needs. Called under the jobs' locks, in a later statement
-- than their steps changed in. A local job is one step, whole-job, which speaks for all of them. Plain successes, most of a large job's steps, are
-- passed over first: they decide nothing.
create or replace function corral.fn_read_job_outcomes(p_job_ids uuid[]) returns corral.job_change[]
language sql stable
set search_path = corral, pg_catalog
as $$
    select coalesce(array_agg(row(
               u.job_id,
               case when o.is_cancelled then 'cancelled' when o.failed is not null then 'failed' else 'succeeded' end,
               'finished', 'step_failed', o.failed, case when not o.is_cancelled and o.failed is null then o.output end,
               null)::job_change), '{}')
      from unnest(p_job_ids) as u (job_id),
           lateral (select coalesce(bool_or(s.status = 'cancelled'), false) as is_cancelled,
                           (array_agg(case when s.name = 'whole-job' then coalesce(s.error_message, s.failure_reason, 'no reason given')
                                           else format('step %s failed: %s', s.name, coalesce(s.error_message, s.failure_reason, 'no reason given')) end
                                      order by s.finished_at, s.position)
                                filter (where s.status = 'failed' and not s.continue_on_failure))[1] as failed,
                           coalesce((array_agg(s.output) filter (where s.name = 'whole-job'))[1], jsonb_object_agg(s.name, s.output) filter (
                               where s.output is not null and s.status = 'succeeded'
                                 and not exists (select 1 from step_needs n where n.job_id = s.job_id and n.needed = s.name))) as output
                      from job_steps s
                     where s.job_id = u.job_id and s.job_attempt = 1 and (s.status <> 'succeeded' or s.output is not null)) o
$$;
