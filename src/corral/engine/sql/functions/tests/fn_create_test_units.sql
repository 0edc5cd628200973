-- Make the units of a suite from the list that was offered first. By duration, the longest come first: short ones even out the end.
-- Called by fn_offer_tests, which has just made the suite's row: nobody else can see or make its units.
create or replace function corral.fn_create_test_units(p_suite corral.test_suites, p_offer corral.offered_test[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    with past as materialized (
        select u.case_id, u.took_s
          from (select s.run_id, s.step from test_suites s
                 where s.workflow_name = p_suite.workflow_name and s.run_id <> p_suite.run_id
                 order by s.created_at desc limit 5) s
          join test_units u on u.run_id = s.run_id and u.step = s.step
         where u.verdict in ('passed', 'failed') and u.took_s is not null
    ), known as (
        select p.case_id, percentile_cont(0.5) within group (order by p.took_s) as median_s from past p group by p.case_id
    ), expected as (
        select o.case_id, o.class_name, o.name, o.place,
               coalesce(k.median_s, (select percentile_cont(0.5) within group (order by p.took_s) from past p), 2.0) as expected_s
          from unnest(p_offer) with ordinality as o (case_id, class_name, name, place)
          left join known k on k.case_id = o.case_id
    )
    insert into test_units (run_id, step, case_id, class_name, name, position, expected_s)
    select p_suite.run_id, p_suite.step, e.case_id, e.class_name, e.name,
           row_number() over (order by case when p_suite.chunk = 'duration' then e.expected_s end desc, e.place), e.expected_s
      from expected e;
end $$;
