-- Keep the results of tests that nodes told, and move shared tests on by them. Of a shared test, a result counts if it is of the try
-- that its lease claimed, nobody has claimed the test since, and it has no verdict; the others are kept and do not count. A test that
-- failed and may be tried again waits for another phone. The first word on a try stands. Called by fn_apply_node_events, the jobs
-- are locked; locks the units that the results speak of, in key order.
create or replace function corral.fn_apply_test_results(p_events corral.judged_event[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_told  told_result[] := fn_read_results(p_events);
begin
    perform 1
       from test_units u
      where (u.run_id, u.step, u.case_id) in (select t.run_id, t.step, t.case_id from unnest(v_told) t)
        and u.verdict is null
      order by u.run_id, u.step, u.case_id
        for no key update;

    with kept as (
        insert into test_results (job_id, step, case_id, attempt, try, run_id, device_id, node_id, lease_token, class_name, name, status,
                                  duration_s, message, trace, is_unit, is_counted, is_last, at)
        select t.job_id, t.step, t.case_id, t.attempt, t.try, t.run_id, t.device_id, t.node_id, t.lease_token, t.class_name, t.name,
               t.status, t.duration_s, t.message, t.trace, t.is_unit, t.is_counted, t.is_counted and t.is_only, t.at
          from (select r.*, u.case_id is not null as is_unit,
                       u.case_id is null or (u.verdict is null and u.claim_token = r.lease_token and u.claim_try = r.try
                                             and u.failures = r.try - 1) is true as is_counted,
                       count(*) over (partition by r.job_id, r.step, r.case_id) = 1 and not exists (
                           select 1 from test_results o where o.job_id = r.job_id and o.step = r.step and o.case_id = r.case_id) as is_only
                  from unnest(v_told) r
                  left join test_units u on u.run_id = r.run_id and u.step = r.step and u.case_id = r.case_id) t
        on conflict (job_id, step, case_id, attempt, try) do nothing
        returning *
    )
    update test_units u
       set is_in_flight = false,
           failures = u.failures + k.has_failed::integer,
           failed_job_id = case when k.has_failed then k.job_id else u.failed_job_id end,
           verdict = case when k.is_final then k.status end,
           verdict_job_id = case when k.is_final then k.job_id end,
           is_flaky = k.status = 'passed' and u.failures > 0,
           message = k.message, took_s = k.duration_s,
           finished_at = case when k.is_final then fn_now() end
      from (select o.*, o.status in ('failed', 'errored') as has_failed,
                   o.status in ('passed', 'skipped') or o.try > s.test_retries as is_final
              from kept o join test_suites s on s.run_id = o.run_id and s.step = o.step
             where o.is_unit and o.is_counted) k
     where u.run_id = k.run_id and u.step = k.step and u.case_id = k.case_id;
    perform fn_mark_last_results(v_told);
end $$;
