-- The last 50 log lines of these jobs, oldest first, as JSON; with the number of their device where p_with_index asks for it.
-- Called by fn_get_monitor with the jobs of a run that moved last, so that its cost does not follow the size of the run.
create or replace function corral.fn_list_last_logs(p_job_ids uuid[], p_with_index boolean) returns json
language sql stable
set search_path = corral, pg_catalog
as $$
    select coalesce(json_agg(case when p_with_index
                                  then json_build_object('index', coalesce(t.index_no, 0), 'at', t.at, 'level', t.level, 'step', t.step,
                                                         'message', t.message)
                                  else json_build_object('at', t.at, 'level', t.level, 'step', t.step, 'message', t.message)
                             end order by t.at, t.line_no), '[]')
      from (select l.*, (select d.index_no from jobs j join devices d on d.device_id = j.device_id
                          where j.job_id = l.job_id and p_with_index) as index_no
              from (select o.*
                      from unnest(p_job_ids) as u (job_id)
                     cross join lateral (select i.job_id, i.line_no, i.at, i.level, i.step, i.message
                                           from log_lines i where i.job_id = u.job_id order by i.line_no desc limit 50) o
                     order by o.at desc, o.line_no desc
                     limit 50) l) t
$$;
