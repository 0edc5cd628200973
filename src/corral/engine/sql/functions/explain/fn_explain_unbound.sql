-- Why the jobs of a run that belong to no device wait: those of a pool, which any idle device with the right tags may take, and the one
-- of a distributed run that has no ready step (see fn_explain_steps). Reasons: cancelling, pool_no_match, gate_full, pool_busy, ready;
-- steps_waiting.
-- Called by fn_explain_run. Says the same of all jobs of a pool; at most p_limit of them, in the order in which they would start.
create or replace function corral.fn_explain_unbound(p_run corral.runs, p_gate corral.run_gates, p_limit integer default 1000)
returns table (job_id uuid, device_id uuid, index_no integer, serial text, node_id text, status text, reason text, message text,
               since timestamptz, ahead integer, ahead_run_id uuid, expected_start_at timestamptz, step text)
language plpgsql stable
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_job      jobs;
    v_reason   text;
    v_message  text;
begin
    select j.* into v_job from jobs j
     where j.run_id = p_run.run_id and j.device_id is null and j.status = 'queued' order by j.position limit 1;
    if v_job.job_id is null then
        return;
    elsif v_job.mode = 'distributed' and exists (select 1 from job_steps s where s.job_id = v_job.job_id and s.status = 'ready') then
        return;
    elsif p_run.cancel_requested_at is not null then
        v_reason := 'cancelling';
        v_message := 'the run is being cancelled';
    elsif v_job.mode = 'distributed' then
        v_reason := 'steps_waiting';
        v_message := 'it has no step that could be claimed';
    elsif not exists (select 1 from devices d join lanes l on l.device_id = d.device_id join nodes n on n.node_id = l.node_id
                       where d.tags @> v_job.pool_tags and l.is_available and n.lease_until >= fn_now() and not n.draining
                         and not exists (select 1 from jobs o where o.run_id = p_run.run_id and o.device_id = d.device_id)) then
        v_reason := 'pool_no_match';
        v_message := format('no device that is available, has the tags %s and had no job of this run yet', v_job.pool_tags);
    elsif p_gate.in_flight >= p_gate.cap then
        v_reason := 'gate_full';
        v_message := format('the run has %s of %s allowed jobs in flight', p_gate.in_flight, p_gate.cap);
    elsif not exists (select 1 from devices d join lanes l on l.device_id = d.device_id join node_loads o on o.node_id = l.node_id
                       where d.tags @> v_job.pool_tags and l.is_available and l.job_id is null
                         and not o.is_silent and not o.draining and o.held < o.max_concurrency
                         and not exists (select 1 from jobs j where j.run_id = p_run.run_id and j.device_id = d.device_id)) then
        v_reason := 'pool_busy';
        v_message := format('every device with the tags %s is busy, or its node is', v_job.pool_tags);
    else
        v_reason := 'ready';
        v_message := 'next when a node with an idle device asks for work';
    end if;
    return query
        select j.job_id, null::uuid, null::integer, null::text, null::text, j.status, v_reason, v_message,
               case when v_reason = 'cancelling' then p_run.cancel_requested_at else j.queued_at end,
               0, null::uuid, case when v_reason = 'ready' then fn_now() end, null::text
          from jobs j
         where j.run_id = p_run.run_id and j.device_id is null and j.status = 'queued'
         order by j.priority desc, j.position
         limit coalesce(p_limit, 1000);
end $$;
