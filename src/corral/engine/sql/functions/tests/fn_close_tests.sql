-- End what is left of the shared tests of runs that have just ended: nobody will execute them any more, so they are errored.
-- Called by fn_advance_runs, which holds the runs' locks. All their jobs have ended, so nobody holds a unit of theirs, or will: this
-- waits for nobody. Returns those runs that have tests without a phone's verdict.
create or replace function corral.fn_close_tests(p_run_ids uuid[]) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_unjudged  uuid[];
begin
    if not exists (select 1 from test_suites s where s.run_id = any (p_run_ids)) then
        return '{}';
    end if;
    with open as materialized (
        select u.run_id, u.step, u.case_id, s.infra_retries,
               u.losses + (u.is_in_flight and (select fn_is_loss(l.ending) from leases l
                                                where l.job_id = u.claim_job_id and l.lease_token = u.claim_token))::integer as losses,
               r.cancel_requested_at is not null as is_cancelled
          from test_suites s
          join runs r on r.run_id = s.run_id
          join test_units u on u.run_id = s.run_id and u.step = s.step and u.verdict is null
         where s.run_id = any (p_run_ids)
    )
    update test_units u
       set is_in_flight = false, losses = o.losses, verdict = 'errored', finished_at = fn_now(),
           message = case when o.losses > o.infra_retries then fn_no_phone_survived(o.losses)
                          when o.is_cancelled then 'not run: the run was cancelled'
                          else 'not run: no phone was left' end
      from open o
     where u.run_id = o.run_id and u.step = o.step and u.case_id = o.case_id;

    select array_agg(distinct u.run_id) into v_unjudged
      from test_suites s join test_units u on u.run_id = s.run_id and u.step = s.step
     where s.run_id = any (p_run_ids) and u.verdict is not null and u.verdict_job_id is null;
    return coalesce(v_unjudged, '{}');
end $$;
