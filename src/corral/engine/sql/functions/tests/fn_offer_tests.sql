-- Offer the tests of a step to all phones of a run: the first list becomes the suite's units, a later one changes nothing; where it
-- is another, the run's log says how many differ. p_tests is a list of {class_name, name}. Whoever offers begins the step, so what
-- the same lease had in flight is let go. Durations are expected as they were in the last five suites of the same workflow: the
-- median of each test, or of all tests of them, or two seconds. Called by a node before it claims; repeating it is safe.
-- Locks the job, then the suite, then units that are in flight, skipping those that others hold. Raises CR103 lease_lost.
create or replace function corral.fn_offer_tests(
    p_node_id text, p_job_id uuid, p_lease_token uuid, p_step text, p_tests jsonb, p_chunk text, p_test_retries integer,
    p_infra_retries integer, out total integer, out is_first boolean)
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_job     jobs := fn_lock_live_job(p_node_id, p_job_id, p_lease_token);
    v_offer   offered_test[];
    v_digest  bytea;
    v_suite   test_suites;
    v_name    text := (select w.name from runs r join workflows w on w.workflow_id = r.workflow_id where r.run_id = v_job.run_id);
begin
    select coalesce(array_agg(row(o.case_id, o.class_name, o.name)::offered_test order by o.place), '{}'),
           sha256(convert_to(coalesce(string_agg(o.case_id::text, ' ' order by o.case_id), ''), 'UTF8'))
      into v_offer, v_digest
      from (select distinct on (t.case_id) t.* from (
                select fn_case_id(e.body ->> 'class_name', e.body ->> 'name') as case_id, e.body ->> 'class_name' as class_name,
                       e.body ->> 'name' as name, e.place
                  from jsonb_array_elements(p_tests) with ordinality as e (body, place)) t
             order by t.case_id, t.place) o;

    insert into test_suites (run_id, step, workflow_name, chunk, test_retries, infra_retries, total, digest, offer_job_id, offer_token,
                             created_at)
    values (v_job.run_id, p_step, v_name, p_chunk, p_test_retries, p_infra_retries, cardinality(v_offer), v_digest, p_job_id,
            p_lease_token, fn_now())
    on conflict do nothing
    returning * into v_suite;
    is_first := v_suite.run_id is not null;
    if is_first then
        perform fn_create_test_units(v_suite, v_offer);
    else
        select s.* into v_suite from test_suites s where s.run_id = v_job.run_id and s.step = p_step for no key update;
        is_first := v_suite.offer_job_id = p_job_id and v_suite.offer_token = p_lease_token;
        perform fn_release_tests(v_suite, p_lease_token);
        if v_suite.digest <> v_digest then
            perform fn_warn_of_tests(v_suite, v_offer, p_job_id, p_lease_token);
        end if;
    end if;
    total := v_suite.total;
end $$;
