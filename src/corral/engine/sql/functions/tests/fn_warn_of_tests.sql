-- Say in the run's log that a phone found another list of tests than the one that is shared, and how many differ.
-- Called by fn_offer_tests. Adds one line to the job's log; once a lease, however often it offers.
create or replace function corral.fn_warn_of_tests(
    p_suite corral.test_suites, p_offer corral.offered_test[], p_job_id uuid, p_lease_token uuid) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_attempt  integer := (select l.attempt from leases l where l.job_id = p_job_id and l.lease_token = p_lease_token);
    v_more     integer;
    v_less     integer;
    v_message  text;
begin
    select count(*) filter (where u.case_id is null), count(*) filter (where o.case_id is null) into v_more, v_less
      from (select u.case_id from test_units u where u.run_id = p_suite.run_id and u.step = p_suite.step) u
      full join (select e.case_id from unnest(p_offer) e) o on o.case_id = u.case_id;
    v_message := format('this phone''s list of tests differs from the one that is shared: it has %s tests that are not in it, and lacks %s',
                        v_more, v_less);
    insert into log_lines (job_id, attempt, at, level, step, message)
    select p_job_id, v_attempt, fn_now(), 'warning', p_suite.step, v_message
     where not exists (select 1 from log_lines l where l.job_id = p_job_id and l.attempt = v_attempt and l.message = v_message);
end $$;
