-- The parts of a run's report: one for each step and device that told results which count, and for each step one of those shared
-- tests that no phone gave a verdict on (is_unjudged). Called by whoever writes a report. Raises CR001 not_found.
create or replace function corral.fn_list_suites(p_run_id uuid)
returns table (step text, device_id uuid, is_unjudged boolean, "index" integer, serial text, node_id text, model text, os_version text,
               started_at timestamptz)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    if not exists (select 1 from runs r where r.run_id = p_run_id) then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    return query
    select s.step, s.device_id, s.is_unjudged, d.index_no, d.serial, s.node_id, d.model, d.os_version, s.started_at
      from (select r.step, r.device_id, false as is_unjudged, min(r.node_id) as node_id,
                   min(r.at - make_interval(secs => r.duration_s)) as started_at
              from test_results r where r.run_id = p_run_id and r.is_last
             group by r.step, r.device_id
            union all
            select u.step, null, true, null, min(u.finished_at)
              from test_units u where u.run_id = p_run_id and u.verdict is not null and u.verdict_job_id is null
             group by u.step) s
      left join devices d on d.device_id = s.device_id
     order by s.step collate "C", s.is_unjudged, d.index_no;
end $$;
