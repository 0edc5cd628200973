-- Take back leases that infrastructure lost: those of these lanes and of these steps. Each job returns to the head of its queue with
-- a tail ticket and keeps its token (an honest late result is still applied until somebody else is granted the job); it fails only
-- when its attempts are spent. Called by register, heartbeat and expiry, once in their transaction, last.
-- Locks lanes, then jobs, each in key order, then what fn_conclude_jobs locks. p_changes are further changes of the node's jobs.
create or replace function corral.fn_take_back_leases(
    p_device_ids uuid[], p_step_tokens uuid[], p_ending text, p_changes corral.job_change[] default '{}')
returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_jobs     uuid[];
    v_steps    integer := coalesce(cardinality(p_step_tokens), 0);
    v_effects  job_effects := row('{}', '{}');
begin
    perform fn_lock_lanes(p_device_ids);
    v_jobs := array(select l.job_id from lanes l where l.device_id = any (p_device_ids) and l.lease_token is not null);
    if v_jobs = '{}' and v_steps = 0 and coalesce(p_changes, '{}') = '{}' then
        return 0;
    end if;
    perform fn_lock_jobs(array(
        select unnest(v_jobs) union select c.job_id from unnest(p_changes) c
        union select s.job_id from job_steps s where s.status = 'running' and s.lease_token = any (p_step_tokens)));
    if v_steps > 0 then
        v_effects := fn_release_steps(p_step_tokens, p_ending);
    end if;
    return v_steps + fn_conclude_jobs(
        p_changes
        || array(select row(j.job_id, 'queued', p_ending, null,
                            format('attempt %s was lost: %s', greatest(j.attempt, 1), replace(p_ending, '_', ' ')), null, null)::job_change
                   from jobs j where j.job_id = any (v_jobs))
        || v_effects.changes, v_effects.news);
end $$;
