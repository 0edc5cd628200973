-- How many test cases of a run have which verdict, as JSON; null for a run without tests. Called by fn_get_monitor and by readers of
-- a run's tests.
create or replace function corral.fn_count_cases(p_run_id uuid) returns json
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    if not (exists (select 1 from test_suites s where s.run_id = p_run_id)
            or exists (select 1 from test_results r where r.run_id = p_run_id)) then
        return null;
    end if;
    return (select json_build_object(
                'total', count(*), 'passed', count(*) filter (where c.verdict = 'passed'),
                'failed', count(*) filter (where c.verdict = 'failed'), 'errored', count(*) filter (where c.verdict = 'errored'),
                'skipped', count(*) filter (where c.verdict = 'skipped'), 'flaky', count(*) filter (where c.is_flaky),
                'pending', count(*) filter (where c.verdict = 'pending'), 'running', count(*) filter (where c.verdict = 'running'))
              from fn_judge_cases(p_run_id) c);
end $$;
