-- Of each case that these results speak of again, mark the job's last word, and whether it is flaky: it passed after a failure was
-- told. What is told of a case for the first time is the last word by itself. Called by fn_apply_test_results, under the locks of the jobs.
create or replace function corral.fn_mark_last_results(p_told corral.told_result[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_last  told_result[];
begin
    select array_agg(row(null, l.job_id, l.attempt, null, null, null, l.step, l.case_id, null, null, l.try, l.status, null, null, null,
                         null)::told_result)
      into v_last
      from (select distinct t.job_id, t.step, t.case_id from unnest(p_told) t) c
     cross join lateral (
           select r.* from test_results r
            where r.job_id = c.job_id and r.step = c.step and r.case_id = c.case_id and r.is_counted
            order by r.attempt desc, r.try desc limit 1) l
     where not l.is_last or (l.status = 'passed' and not l.is_flaky and (l.attempt > 1 or l.try > 1));
    if v_last is null then
        return;
    end if;
    update test_results r
       set is_last = false, is_flaky = false
      from unnest(v_last) l
     where r.job_id = l.job_id and r.step = l.step and r.case_id = l.case_id and r.is_last;
    update test_results r
       set is_last = true,
           is_flaky = r.status = 'passed' and exists (
               select 1 from test_results o
                where o.job_id = r.job_id and o.step = r.step and o.case_id = r.case_id and o.is_counted
                  and o.status in ('failed', 'errored'))
      from unnest(v_last) l
     where r.job_id = l.job_id and r.attempt = l.attempt and r.step = l.step and r.case_id = l.case_id and r.try = l.try;
end $$;
