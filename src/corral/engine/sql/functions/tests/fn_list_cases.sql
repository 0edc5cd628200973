-- The test cases of a run by step, class and name, a page at a time, each with what every phone told of it, the latest last; without
-- traces. p_statuses, p_differs, p_flaky and p_query (a part of the class or the name, in any case of letters) narrow, where they are
-- not null. p_after is the step, class and name of the last case seen. Raises CR001 not_found.
create or replace function corral.fn_list_cases(
    p_run_id uuid, p_statuses text[], p_differs boolean, p_flaky boolean, p_query text, p_after text[], p_limit integer)
returns table (step text, class_name text, name text, verdict text, is_flaky boolean, differs boolean, message text, results json)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    if not exists (select 1 from runs r where r.run_id = p_run_id) then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    return query
    select c.step, c.class_name, c.name, c.verdict, c.is_flaky, c.differs, c.message, fn_list_results(p_run_id, c.step, c.case_id, false)
      from (select j.* from fn_judge_cases(p_run_id) j
             where (p_statuses is null or j.verdict = any (p_statuses))
               and (p_differs is null or j.differs = p_differs)
               and (p_flaky is null or j.is_flaky = p_flaky)
               and (p_query is null or strpos(lower(j.class_name || '#' || j.name), lower(p_query)) > 0)
               and (p_after is null
                    or (j.step, j.class_name, j.name) > (p_after[1] collate "C", p_after[2] collate "C", p_after[3] collate "C"))
             order by j.step collate "C", j.class_name collate "C", j.name collate "C"
             limit p_limit) c
     order by c.step collate "C", c.class_name collate "C", c.name collate "C";
end $$;
