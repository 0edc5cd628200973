-- The one place where jobs end or go back to their queue. Ends their leases, gives their lanes the next head, frees their
-- gates, counts them, and ends runs whose last job this was. A change to 'queued' becomes 'cancelled' where the run is being
-- cancelled, and 'failed' (node_lost) where a started attempt was the last one. Terminal jobs are left as they are.
-- p_news are jobs that only moved on ('running') or were heard of ('noted'): their runs' versions change, too.
-- Called once in a transaction, last: the caller holds the locks of the lanes and the jobs; then gates, stripes and runs are locked, each in key order.
-- Returns the number of jobs changed.
create or replace function corral.fn_conclude_jobs(p_changes corral.job_change[], p_news corral.job_ended[] default '{}')
returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off
as $$
declare
    v_now      timestamptz := fn_now();
    v_ended    job_ended[];
    v_devices  uuid[];
    v_tokens   uuid[];
    v_gates    uuid[];
    v_runs     uuid[];
    v_begun    uuid[];
begin
    if coalesce(cardinality(p_changes), 0) + coalesce(cardinality(p_news), 0) = 0 then
        return 0;
    end if;

    if cardinality(p_changes) > 0 then
        with wanted as materialized (
            select j.job_id, j.run_id, j.device_id, j.lease_owner, j.lease_token, j.is_gated, j.status as was, j.started_at,
                   c.output, j.pool_tags is not null as is_pooled, coalesce(c.ending, 'released') as ending,
                   case when c.status <> 'queued' then c.status
                        when (select o.cancel_requested_at from runs o where o.run_id = j.run_id) is not null then 'cancelled'
                        when j.is_started and j.attempt >= j.max_attempts then 'failed'
                        else 'queued' end as status,
                   case when c.status = 'queued' then 'node_lost' else coalesce(c.failure_reason, 'unknown') end as failure_reason,
                   c.error_message,
                   fn_clamp_time(c.at, coalesce(j.started_at, j.leased_at, j.queued_at), v_now) as ended_at
              from unnest(p_changes) c
              join jobs j on j.job_id = c.job_id
             where j.finished_at is null and j.job_id = any (array(select u.job_id from unnest(p_changes) u))
        ), changed as (
            update jobs j
               set status = w.status,
                   is_waiting = (w.status = 'queued' and j.mode = 'device'),
                   finished_at = case when w.status <> 'queued' then w.ended_at end,
                   failure_reason = case when w.status = 'failed' then w.failure_reason end,
                   error_message = case when w.status = 'succeeded' then w.error_message else coalesce(w.error_message, j.error_message) end,
                   output = coalesce(w.output, j.output),
                   deadline_at = null,
                   current_step = case when w.status <> 'queued' then j.current_step end,
                   steps_done = case when w.status = 'succeeded' then greatest(j.steps_done, j.steps_total) else j.steps_done end,
                   -- A job of a pool that was given back has no device; if its node's late word ends it after all, it has that node's.
                   device_id = case when w.is_pooled and w.status = 'queued' then null
                                    when w.is_pooled and w.ending = 'finished'
                                    then coalesce(j.device_id, (select g.device_id from leases g
                                                                 where g.job_id = j.job_id and g.lease_token = j.lease_token))
                                    else j.device_id end
              from wanted w
             where j.job_id = w.job_id and j.job_id = any (array(select u.job_id from wanted u))
            returning row(w.job_id, w.run_id, w.device_id, w.lease_owner, w.lease_token, j.status, j.failure_reason, w.error_message,
                          w.was in ('leased', 'running') and w.lease_token is not null, w.is_gated,
                          extract(epoch from w.ended_at - w.started_at))::job_ended as job
        ), ended as (
            update leases l
               set ended_at = v_now, ending = w.ending
              from wanted w
             where l.job_id = w.job_id and l.job_id = any (array(select u.job_id from wanted u)) and l.step is null and l.ended_at is null
        )
        select array_agg(c.job), array_agg((c.job).device_id) filter (where (c.job).device_id is not null),
               array_agg((c.job).lease_token) filter (where (c.job).was_live),
               array_agg((c.job).run_id) filter (where (c.job).was_live and (c.job).is_gated),
               array_agg(distinct (c.job).run_id) filter (where (c.job).status <> 'queued')
          into v_ended, v_devices, v_tokens, v_gates, v_runs
          from changed c;
        if v_devices is not null then
            perform fn_settle_lanes(v_devices, coalesce(v_tokens, '{}'));
        end if;
        if v_gates is not null then
            perform fn_leave_gates(v_gates);
        end if;
    end if;
    perform fn_count_jobs(v_ended || p_news, v_ended is not null);
    v_begun := array(select distinct n.run_id from unnest(p_news) n where n.status = 'running');
    if v_begun <> '{}' or v_runs is not null then
        perform fn_advance_runs(v_begun, coalesce(v_runs, '{}'));
    end if;
    return coalesce(cardinality(v_ended), 0);
end $$;
