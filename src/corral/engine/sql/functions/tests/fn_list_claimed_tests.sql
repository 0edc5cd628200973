-- The chunk that a request was given, in the order in which it is to be executed. Called by fn_claim_tests.
create or replace function corral.fn_list_claimed_tests(p_suite corral.test_suites, p_lease_token uuid, p_request_id uuid) returns jsonb
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    select coalesce(jsonb_agg(jsonb_build_object('class_name', u.class_name, 'name', u.name, 'try', u.claim_try) order by u.position), '[]')
      from test_units u
     where u.run_id = p_suite.run_id and u.step = p_suite.step and u.claim_token = p_lease_token and u.claim_request_id = p_request_id
$$;
