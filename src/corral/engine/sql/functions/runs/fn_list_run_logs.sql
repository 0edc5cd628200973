-- The log lines of a run behind p_after, in the order of their numbers, at most p_limit; of one device (its number or serial), or of all;
-- of one step, where p_step names it.
-- Called by GET /api/runs/:id/logs, again and again by whoever follows a run. Takes no locks. Raises CR001 not_found.
-- Numbers are given out before they are committed: a line is told only once every older transaction has ended, so that
-- whoever goes on from the highest number it was told misses none.
create or replace function corral.fn_list_run_logs(
    p_run_id uuid, p_device text, p_after bigint, p_limit integer, p_step text default null)
returns table (line_no bigint, job_id uuid, index_no integer, serial text, attempt integer, at timestamptz, level text, step text,
               message text)
language plpgsql stable rows 100
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    if not exists (select 1 from runs r where r.run_id = p_run_id) then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    return query
        select l.line_no, l.job_id, d.index_no, d.serial, l.attempt, l.at, l.level, l.step, l.message
          from jobs j
          left join devices d on d.device_id = j.device_id
         cross join lateral (select i.*
                               from log_lines i
                              where i.job_id = j.job_id and i.line_no > p_after and (p_step is null or i.step = p_step)
                                and age(i.xmin) > age(pg_snapshot_xmin(pg_current_snapshot())::xid)
                              order by i.line_no
                              limit p_limit) l
         where j.run_id = p_run_id
           and (p_device is null or d.serial = p_device or d.index_no::text = p_device)
         order by l.line_no
         limit p_limit;
end $$;
