-- Whether a phone that got no test should wait: tests have no verdict yet, and fewer than two others wait already. One that has not
-- asked for a minute does not wait any more. Called by fn_claim_tests.
create or replace function corral.fn_is_spare(p_suite corral.test_suites, p_job_id uuid) returns boolean
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
    select (exists (select 1 from test_units u where u.run_id = p_suite.run_id and u.step = p_suite.step and u.is_in_flight)
            or exists (select 1 from test_units u
                        where u.run_id = p_suite.run_id and u.step = p_suite.step and u.verdict is null and not u.is_in_flight))
       and 2 > (select count(*)
                  from test_phones p join leases l on l.job_id = p.job_id and l.lease_token = p.lease_token
                 where p.run_id = p_suite.run_id and p.step = p_suite.step and p.job_id <> p_job_id and p.part = 'spare'
                   and l.ended_at is null and p.asked_at > fn_now() - interval '1 minute')
$$;
