-- One test case of a run with all that phones told of it, traces too. Without p_step, that of the first step that has it.
-- Raises CR001 not_found.
create or replace function corral.fn_get_case(p_run_id uuid, p_step text, p_class_name text, p_name text)
returns table (step text, class_name text, name text, verdict text, is_flaky boolean, differs boolean, message text, results json)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
begin
    return query
    select c.step, c.class_name, c.name, c.verdict, c.is_flaky, c.differs, c.message, fn_list_results(p_run_id, c.step, c.case_id, true)
      from fn_judge_cases(p_run_id) c
     where c.case_id = fn_case_id(p_class_name, p_name) and (p_step is null or c.step = p_step)
     order by c.step collate "C" limit 1;
    if not found then
        raise exception 'run % has no test % of class %', p_run_id, p_name, p_class_name using errcode = 'CR001', detail = 'name';
    end if;
end $$;
