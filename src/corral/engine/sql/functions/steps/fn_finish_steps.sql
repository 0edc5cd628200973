-- End steps that succeeded: what becomes of nearly all of them, in one statement. A row of job_steps is judged as it is updated: one
-- that moved on meanwhile no longer carries the token, or is elsewhere, and is left alone. Whatever else may become of a step is for
-- fn_conclude_steps, which would have written the same. The lease of a success stays on the step's row, unless something was kept under it. The arrays are parallel; p_details is a list of {output, …} or null.
-- Called by fn_complete_steps under the jobs' locks, with no token twice. Locks steps, then leases: the node's own.
-- Returns which of them were ended (places, from 1), and what follows for their jobs.
create or replace function corral.fn_finish_steps(
    p_node_id text, p_job_ids uuid[], p_steps text[], p_tokens uuid[], p_statuses text[], p_details jsonb,
    out places integer[], out changes corral.job_change[], out news corral.job_ended[])
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_indexonlyscan = off
set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_now       timestamptz := fn_now();
    v_jobs      uuid[];
    v_steps     text[];
    v_recorded  uuid[];
    v_of_jobs   uuid[];
    v_effects   job_effects;
begin
    -- A plan for arrays of unknown length on tables that may have been empty when it was made: inside the lateral, which is planned by
    -- itself, no index but the key's can be used, and there is nothing to be sorted for, so that no index is ever read as a whole.
    with told as (
        select u.job_id, u.step, u.lease_token, u.place, nullif(p_details -> (u.place - 1)::integer -> 'output', 'null') as output
          from unnest(p_job_ids, p_steps, p_tokens, p_statuses) with ordinality as u (job_id, step, lease_token, status, place)
         where u.status = 'succeeded'
        offset 0
    ), ended as (
        update job_steps s
           set status = 'succeeded',
               attempt = case when s.is_started then s.attempt else s.attempt + 1 end,
               is_started = true,
               available_at = null,
               started_at = coalesce(s.started_at, v_now),
               finished_at = v_now,
               decision = coalesce(s.decision, 'execute'),
               skip_cause = null,
               output = coalesce(t.output, s.output),
               failure_reason = null,
               error_message = null
          from told t
         cross join lateral (
               select k.ctid as spot from job_steps k where k.job_id = t.job_id and k.job_attempt = 1 and k.name = t.step offset 0) k
         where s.ctid = k.spot and s.lease_token = t.lease_token and s.lease_owner = p_node_id and s.finished_at is null
        returning t.place, s.job_id, s.name, s.lease_token, s.is_recorded
    )
    select array_agg(e.place), array_agg(e.job_id), array_agg(e.name), array_agg(e.lease_token) filter (where e.is_recorded),
           array_agg(e.job_id) filter (where e.is_recorded)
      into places, v_jobs, v_steps, v_recorded, v_of_jobs
      from ended e;
    if v_recorded is not null then
        perform fn_end_step_leases(v_of_jobs, v_recorded);
    end if;
    if v_jobs is not null then
        v_effects := fn_count_down_jobs(v_jobs, v_steps, array_fill(false, array[cardinality(v_jobs)]),
                                        array_fill(p_node_id, array[cardinality(v_jobs)]), v_jobs);
        changes := v_effects.changes;
        news := v_effects.news;
    end if;
end $$;
