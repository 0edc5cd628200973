-- Claim the next chunk of a suite for a phone. Chunks are large at first and small at the end: a share of what waits, half of what
-- would be even, by count or by expected duration; at most a minute and a hundred tests. A test that was lost with a phone goes last
-- and alone, so that one that kills phones takes no other with it. One that failed on this phone is left to another, if there is one.
-- Called by fn_claim_tests, under the locks of the job and the suite. Skips units whose result is being applied this moment.
create or replace function corral.fn_take_tests(p_suite corral.test_suites, p_job_id uuid, p_lease_token uuid, p_request_id uuid) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    c_longest_s  constant double precision := 60;
    c_most       constant integer := 100;
    v_shares     integer := 2 * fn_count_suite_phones(p_suite.run_id);
    v_avoids     boolean := fn_has_other_phones(p_suite, p_job_id);
    v_count      integer;
    v_long_s     double precision;
begin
    select count(*), coalesce(sum(u.expected_s), 0) into v_count, v_long_s
      from test_units u
     where u.run_id = p_suite.run_id and u.step = p_suite.step and u.verdict is null and not u.is_in_flight;
    if v_count = 0 then
        return;
    end if;
    if p_suite.chunk = 'count' then
        v_count := least(c_most, ceil(v_count / v_shares::double precision));
        v_long_s := c_longest_s;
    else
        v_count := c_most;
        v_long_s := least(c_longest_s, v_long_s / v_shares);
    end if;

    with waiting as (
        select u.case_id, u.losses, u.position, u.expected_s
          from test_units u
         where u.run_id = p_suite.run_id and u.step = p_suite.step and u.verdict is null and not u.is_in_flight
           and not (v_avoids and u.failed_job_id is not distinct from p_job_id)
         order by u.losses, u.position
         limit v_count
           for no key update skip locked
    ), chunk as materialized (
        select w.case_id, w.losses, row_number() over first_come as place, sum(w.expected_s) over first_come as until_s
          from waiting w
        window first_come as (order by w.losses, w.position)
    )
    update test_units u
       set is_in_flight = true, claim_job_id = p_job_id, claim_token = p_lease_token, claim_request_id = p_request_id,
           claim_try = u.failures + 1, claimed_at = fn_now()
      from chunk c
     where u.run_id = p_suite.run_id and u.step = p_suite.step and u.case_id = c.case_id
       and (c.place = 1 or (c.losses = 0 and c.until_s <= v_long_s));
end $$;
