-- Give a phone the next chunk of its step's shared suite: a list of {class_name, name, try}, or nothing. Nothing and not is_done:
-- tests are in flight elsewhere, and this phone is one of the two spares that wait in case they come back; it asks again.
-- is_done: nothing is left for this phone. Repeating p_request_id returns the chunk that it got. A cancelled run hands out nothing.
-- Called by nodes, by whoever waits about once a second. Locks the job, then the suite, by which claims take turns, then units,
-- skipping those that others hold: so a unit is claimed by one live lease at a time. Raises CR103 lease_lost, CR001 not_found.
create or replace function corral.fn_claim_tests(
    p_node_id text, p_job_id uuid, p_lease_token uuid, p_step text, p_request_id uuid, out tests jsonb, out is_done boolean)
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_job    jobs := fn_lock_live_job(p_node_id, p_job_id, p_lease_token);
    v_suite  test_suites;
    v_part   text := 'working';
begin
    select s.* into v_suite from test_suites s where s.run_id = v_job.run_id and s.step = p_step for no key update;
    if v_suite.run_id is null then
        raise exception 'nobody has offered the tests of step %', p_step using errcode = 'CR001', detail = 'step';
    end if;
    tests := fn_list_claimed_tests(v_suite, p_lease_token, p_request_id);
    if tests = '[]' then
        if (select r.cancel_requested_at from runs r where r.run_id = v_job.run_id) is not null then
            v_part := 'done';
        else
            perform fn_release_tests(v_suite);
            perform fn_take_tests(v_suite, p_job_id, p_lease_token, p_request_id);
            tests := fn_list_claimed_tests(v_suite, p_lease_token, p_request_id);
            if tests = '[]' then
                v_part := case when fn_is_spare(v_suite, p_job_id) then 'spare' else 'done' end;
            end if;
        end if;
    end if;
    is_done := v_part = 'done';
    insert into test_phones as p (run_id, step, job_id, lease_token, part, asked_at)
    values (v_job.run_id, p_step, p_job_id, p_lease_token, v_part, fn_now())
    on conflict (run_id, step, job_id) do update
       set lease_token = excluded.lease_token, part = excluded.part, asked_at = excluded.asked_at
     where (p.lease_token, p.part) is distinct from (excluded.lease_token, excluded.part)
        or p.asked_at < excluded.asked_at - interval '5 s';
end $$;
