-- Lock the jobs that these events are about, and then those steps of distributed ones among them that went back to their queue:
-- see fn_lock_late_steps. Does nothing where all jobs are devices'. Called by fn_apply_node_events before it judges.
-- Locks jobs, then steps: each in key order.
create or replace function corral.fn_lock_told_steps(p_events jsonb) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_jobs  uuid[] := array(
        select e.body ->> 'job_id' from jsonb_array_elements(p_events) as e (body)
         where e.body ->> 'type' in ('job_started', 'step_started', 'step_finished', 'job_finished') and fn_is_uuid(e.body ->> 'job_id'));
begin
    if not exists (select 1 from jobs j where j.job_id = any (v_jobs) and j.mode = 'distributed') then
        return;
    end if;
    perform fn_lock_jobs(v_jobs);
    perform fn_lock_late_steps(array_agg((e.body ->> 'job_id')::uuid), array_agg(e.body ->> 'step'),
                               array_agg((e.body ->> 'lease_token')::uuid))
       from jsonb_array_elements(p_events) as e (body)
      where e.body ->> 'type' in ('step_started', 'step_finished')
        and fn_is_uuid(e.body ->> 'job_id') and fn_is_uuid(e.body ->> 'lease_token');
end $$;
