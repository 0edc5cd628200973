-- Let others have the tests of a shared suite that are in flight under leases that have ended, and under p_lease_token, if given: its
-- phone begins the step anew. A test that was lost with more phones than infra_retries allows is errored: nobody tries it again.
-- Called by fn_claim_tests and fn_offer_tests, under the suite's lock. Skips tests whose result is being applied this moment.
create or replace function corral.fn_release_tests(p_suite corral.test_suites, p_lease_token uuid default null) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
begin
    with gone as materialized (
        select u.run_id, u.step, u.case_id, u.losses + coalesce(fn_is_loss(l.ending), true)::integer as losses
          from test_units u join leases l on l.job_id = u.claim_job_id and l.lease_token = u.claim_token
         where u.run_id = p_suite.run_id and u.step = p_suite.step and u.is_in_flight
           and (l.ended_at is not null or l.lease_token = p_lease_token)
           for no key update of u skip locked
    )
    update test_units u
       set is_in_flight = false, losses = g.losses,
           verdict = case when g.losses > p_suite.infra_retries then 'errored' end,
           message = case when g.losses > p_suite.infra_retries then fn_no_phone_survived(g.losses) end,
           finished_at = case when g.losses > p_suite.infra_retries then fn_now() end
      from gone g
     where u.run_id = g.run_id and u.step = g.step and u.case_id = g.case_id;
end $$;
