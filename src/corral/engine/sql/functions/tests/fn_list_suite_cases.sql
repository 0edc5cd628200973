-- The test cases of one part of a run's report (see fn_list_suites), by class and name: each case once, where its last word was told, or,
-- of a shared test, where its verdict was; earlier tries are told with it, wherever they were. Called by whoever writes a report.
create or replace function corral.fn_list_suite_cases(p_run_id uuid, p_step text, p_device_id uuid, p_is_unjudged boolean)
returns table (class_name text, name text, status text, duration_s double precision, message text, trace text, is_flaky boolean,
               earlier json)
language sql stable
set search_path = corral, pg_catalog
set timezone = 'UTC' set enable_seqscan = off
as $$
    select r.class_name, r.name, r.status, r.duration_s, r.message, r.trace, coalesce(u.is_flaky, r.is_flaky),
           case when r.attempt = 1 and r.try = 1 and not r.is_unit then null else (
               select json_agg(json_build_object('index', d.index_no, 'serial', d.serial, 'attempt', o.attempt, 'try', o.try,
                                                 'status', o.status, 'duration_s', o.duration_s, 'message', o.message, 'trace', o.trace)
                               order by o.at, o.attempt, o.try)
                 from test_results o left join devices d on d.device_id = o.device_id
                where o.run_id = p_run_id and o.step = p_step and o.case_id = r.case_id and o.is_counted
                  and (o.is_unit or o.job_id = r.job_id) and (o.job_id, o.attempt, o.try) <> (r.job_id, r.attempt, r.try)) end
      from test_results r left join test_units u on u.run_id = r.run_id and u.step = r.step and u.case_id = r.case_id
     where not p_is_unjudged and r.run_id = p_run_id and r.step = p_step and r.device_id is not distinct from p_device_id and r.is_last
       and (u.case_id is null or u.verdict_job_id = r.job_id)
    union all
    select u.class_name, u.name, u.verdict, 0, u.message, null, false, (
               select json_agg(json_build_object('index', d.index_no, 'serial', d.serial, 'attempt', o.attempt, 'try', o.try,
                                                 'status', o.status, 'duration_s', o.duration_s, 'message', o.message, 'trace', o.trace)
                               order by o.at, o.attempt, o.try)
                 from test_results o left join devices d on d.device_id = o.device_id
                where o.run_id = p_run_id and o.step = p_step and o.case_id = u.case_id and o.is_counted)
      from test_units u
     where p_is_unjudged and u.run_id = p_run_id and u.step = p_step and u.verdict is not null and u.verdict_job_id is null
     order by 1, 2
$$;
