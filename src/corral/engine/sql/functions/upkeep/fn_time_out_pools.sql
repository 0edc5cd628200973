-- Fail jobs of pools that found no device within their run's wait_timeout (rule 5: no run waits for ever). Called by upkeep.
-- Locks the jobs, skipping locked ones: those are just being granted. Returns the number of jobs ended.
create or replace function corral.fn_time_out_pools(p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_jobs  uuid[];
begin
    if not fn_verdicts_are_open() then
        return 0;
    end if;
    select array_agg(p.job_id) into v_jobs
      from (select j.job_id
              from jobs j join runs r on r.run_id = j.run_id
             where j.is_waiting and j.device_id is null and greatest(j.queued_at, (select max(l.ended_at) from leases l where l.job_id = j.job_id)) <= fn_now() - r.wait_timeout
             order by j.job_id
             limit coalesce(p_limit, 1000)
               for no key update of j skip locked) p;
    return fn_conclude_jobs(array(
        select row(j.job_id, 'failed', null, 'wait_timeout', 'no idle device matched', null, null)::job_change
          from jobs j where j.job_id = any (v_jobs) and j.is_waiting and j.device_id is null));
end $$;
