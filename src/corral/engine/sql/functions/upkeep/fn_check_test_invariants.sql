-- The part of fn_check_invariants about tests: how the books of suites, their units and what phones told could contradict.
create or replace function corral.fn_check_test_invariants()
returns table (invariant text, object text, detail text)
language sql stable
set search_path = corral, pg_catalog
as $$
    with suites as materialized (
        select s.*, r.finished_at as run_ended_at, r.status as run_status,
               r.total_jobs = (select count(*) from jobs j where j.run_id = s.run_id) as is_whole  -- none of it was purged yet
          from test_suites s left join runs r on r.run_id = s.run_id
    ), units as materialized (
        select u.*, format('%s/%s %s#%s', u.run_id, u.step, u.class_name, u.name) as object, s.test_retries, s.infra_retries,
               s.run_id is not null as has_suite, s.run_ended_at, s.run_status, s.is_whole
          from test_units u left join suites s on s.run_id = u.run_id and s.step = u.step
    ), told as materialized (
        select t.run_id, t.step, t.case_id, count(*) filter (where t.status in ('failed', 'errored')) as failures, count(*) as results
          from test_results t where t.is_unit and t.is_counted
         group by 1, 2, 3
    )
    select 'a shared test belongs to a suite of a run', u.object, format('suite %s, run %s', u.has_suite, u.run_status)
      from units u where not u.has_suite or u.run_status is null
    union all
    select 'a suite has as many tests as were offered', format('%s/%s', s.run_id, s.step), format('%s of %s', c.total, s.total)
      from test_suites s, lateral (select count(*) as total from test_units u where u.run_id = s.run_id and u.step = s.step) c
     where c.total <> s.total
    union all
    select 'a test is claimed under a lease of its run', u.object, format('job %s token %s', u.claim_job_id, u.claim_token)
      from units u
     where u.is_in_flight
       and not exists (select 1 from leases l join jobs j on j.job_id = l.job_id
                        where l.job_id = u.claim_job_id and l.lease_token = u.claim_token and j.run_id = u.run_id)
    union all
    select 'an ended run has no open test', u.object, format('run %s, in flight %s', u.run_status, u.is_in_flight)
      from units u where u.run_ended_at is not null and u.verdict is null
    union all
    select 'a run with a test that nobody judged did not succeed', u.object, coalesce(u.message, 'without a reason')
      from units u where u.run_status = 'succeeded' and u.verdict is not null and u.verdict_job_id is null
    union all
    select 'a test''s failures are those that were told', u.object, format('counts %s, told %s', u.failures, coalesce(t.failures, 0))
      from units u left join told t on t.run_id = u.run_id and t.step = u.step and t.case_id = u.case_id
     where u.is_whole and u.failures <> coalesce(t.failures, 0)
    union all
    select 'a verdict is the last result that counts', u.object, format('%s after %s failures', u.verdict, u.failures)
      from units u
     where u.is_whole and u.verdict_job_id is not null
       and not exists (select 1 from test_results t
                        where t.job_id = u.verdict_job_id and t.step = u.step and t.case_id = u.case_id and t.is_counted and t.is_unit
                          and t.status = u.verdict and t.try = u.failures + (u.verdict in ('passed', 'skipped'))::integer)
    union all
    select 'a test is tried and lost no more often than it may be', u.object,
           format('%s failures of %s + 1, %s losses of %s + 1', u.failures, u.test_retries, u.losses, u.infra_retries)
      from units u
     where u.failures > u.test_retries + 1 or u.losses > u.infra_retries + 1
        or (u.verdict is null and (u.failures > u.test_retries or u.losses > u.infra_retries))
    union all
    select 'a job has one last word on a case', format('%s/%s %s#%s', t.job_id, t.step, min(t.class_name), min(t.name)),
           format('%s of %s results', count(*) filter (where t.is_last), count(*))
      from test_results t where t.is_counted
     group by t.job_id, t.step, t.case_id
    having count(*) filter (where t.is_last) <> 1
        or max(array[t.attempt, t.try]) <> max(array[t.attempt, t.try]) filter (where t.is_last)
    union all
    select 'a result was told under a lease of its job', format('%s/%s %s#%s', t.job_id, t.step, t.class_name, t.name), t.lease_token::text
      from test_results t
     where not exists (select 1 from leases l join jobs j on j.job_id = l.job_id
                        where l.job_id = t.job_id and l.lease_token = t.lease_token and l.attempt = t.attempt and j.run_id = t.run_id)
$$;
