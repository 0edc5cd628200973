-- The test cases of a run, each with its verdict. Of a shared test, that is its own; until it has one, it is running or pending. Of a
-- case that every phone executes, it is failed if one phone's last word is, else errored, else passed, else skipped. differs: the last
-- words of phones are not the same. Called by everything that reads tests of a run. Reads the run's results by key, locks nothing.
create or replace function corral.fn_judge_cases(p_run_id uuid)
returns table (step text, case_id uuid, class_name text, name text, verdict text, is_flaky boolean, differs boolean, message text)
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_nestloop = off
as $$
    with told as (
        select r.step, r.case_id, min(r.class_name) as class_name, min(r.name) as name,
               case when bool_or(r.status = 'failed') then 'failed' when bool_or(r.status = 'errored') then 'errored'
                    when bool_or(r.status = 'passed') then 'passed' else 'skipped' end as verdict,
               bool_or(r.is_flaky) as is_flaky, min(r.status) <> max(r.status) as differs
          from test_results r
         where r.run_id = p_run_id and r.is_last
         group by r.step, r.case_id
    ), shared as (
        select u.step, u.case_id, u.class_name, u.name, u.is_flaky,
               case when u.verdict is not null then u.verdict when u.is_in_flight and l.ended_at is null then 'running'
                    else 'pending' end as verdict,
               case when u.verdict is not null then u.message end as message
          from test_units u
          left join leases l on l.job_id = u.claim_job_id and l.lease_token = u.claim_token and l.job_id = any (array(
                    select o.claim_job_id from test_units o where o.run_id = p_run_id and o.is_in_flight))
         where u.run_id = p_run_id
    )
    select coalesce(u.step, t.step), coalesce(u.case_id, t.case_id), coalesce(u.class_name, t.class_name), coalesce(u.name, t.name),
           coalesce(u.verdict, t.verdict), coalesce(u.is_flaky, t.is_flaky), coalesce(t.differs, false), u.message
      from shared u full join told t on t.step = u.step and t.case_id = u.case_id
$$;
