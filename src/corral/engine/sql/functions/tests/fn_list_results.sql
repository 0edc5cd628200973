-- What phones told of one test case of a run, as JSON, the latest last; traces only where they are asked for.
-- Called by fn_list_cases and fn_get_case.
create or replace function corral.fn_list_results(p_run_id uuid, p_step text, p_case_id uuid, p_traces boolean) returns json
language sql stable
set search_path = corral, pg_catalog
set timezone = 'UTC' set enable_seqscan = off
as $$
    select coalesce(json_agg(json_build_object(
               'index', d.index_no, 'device_id', r.device_id, 'serial', d.serial, 'node_id', r.node_id, 'job_id', r.job_id,
               'attempt', r.attempt, 'try', r.try, 'status', r.status, 'duration_s', r.duration_s, 'message', r.message,
               'trace', case when p_traces then r.trace end, 'is_counted', r.is_counted, 'at', r.at)
               order by r.at, r.attempt, r.try, d.index_no), '[]')
      from test_results r left join devices d on d.device_id = r.device_id
     where r.run_id = p_run_id and r.step = p_step and r.case_id = p_case_id
$$;
