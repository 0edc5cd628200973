-- Whether another phone than this job's takes part in a suite and will ask again: its lease is live, and it has tests in flight or
-- asked within the last minute. Called by fn_take_tests.
create or replace function corral.fn_has_other_phones(p_suite corral.test_suites, p_job_id uuid) returns boolean
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
    select exists (
        select 1
          from test_phones p join leases l on l.job_id = p.job_id and l.lease_token = p.lease_token
         where p.run_id = p_suite.run_id and p.step = p_suite.step and p.job_id <> p_job_id and p.part <> 'done' and l.ended_at is null
           and (p.asked_at > fn_now() - interval '1 minute'
                or exists (select 1 from test_units u
                            where u.run_id = p.run_id and u.step = p.step and u.is_in_flight and u.claim_token = p.lease_token)))
$$;
