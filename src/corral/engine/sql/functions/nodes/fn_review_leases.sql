-- Compare what a node holds by our books, on these devices, with what it says. Rule of trouble 4: a lease that the node did not
-- name in two heartbeats begun after its grant never arrived, and returns to the queue; that costs no attempt, because an attempt
-- is counted when the job starts. And the backstop behind the node's own timeouts: jobs past their deadline fail, once verdicts may be passed.
-- Called by fn_heartbeat under the node's lock, so its cost follows the node. Locks the node's lanes in key order, then jobs.
create or replace function corral.fn_review_leases(p_node_id text, p_epoch integer, p_held uuid[], p_device_ids uuid[])
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
declare
    v_now      timestamptz := fn_now();
    v_lost     uuid[];
    v_late     job_change[] := '{}';
begin
    if p_device_ids <> '{}' then
        perform fn_lock_lanes(p_device_ids);
        update lanes l
           set unnamed_beats = case when l.lease_token = any (p_held) then 0 else l.unnamed_beats + 1 end
         where l.device_id = any (p_device_ids) and l.lease_token is not null and l.lease_epoch = p_epoch and l.granted_at < v_now
           and (l.lease_token <> all (p_held) or l.unnamed_beats > 0);
        v_lost := array(select l.device_id from lanes l
                         where l.device_id = any (p_device_ids) and l.lease_token is not null and l.unnamed_beats >= 2);
        if fn_verdicts_are_open() then
            v_late := array(
                select row(j.job_id, case when r.cancel_requested_at is null then 'failed' else 'cancelled' end, 'deadline',
                           'job_timeout', format('did not %s before its deadline', case when j.is_started then 'finish' else 'start' end),
                           null, null)::job_change
                  from lanes l join jobs j on j.job_id = l.job_id join runs r on r.run_id = j.run_id
                 where l.device_id = any (p_device_ids) and l.lease_token is not null and l.unnamed_beats < 2 and j.deadline_at < v_now);
        end if;
    end if;
    perform fn_take_back_leases(coalesce(v_lost, '{}'), fn_list_lost_steps(p_node_id, p_held), 'lost_grant', v_late);
end $$;
