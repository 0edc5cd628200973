-- Judge events under the locks of their jobs. A state event counts if it carries the job's current token from the node that it was
-- given to, the job has not ended, and nothing later of the same token was applied (or ended the job in this very batch).
-- Logs and artifacts count for any token ever given to that node for that job, for late_evidence after its end (rule 10);
-- an artifact's key must be one of that job, node and device.
-- Called by fn_apply_node_events, in a later statement than the locks were taken in. Steps of distributed jobs are judged
-- against their own row.
create or replace function corral.fn_judge_events(p_events corral.judged_event[]) returns corral.judged_event[]
language plpgsql stable
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off
as $$
declare
    v_events  judged_event[];
begin
    with told as (
        select e.*,
               min(e.seq) filter (where e.type = 'job_finished' and e.outcome is null)
                   over (partition by e.job_id, e.lease_token) as end_seq,
               min(e.seq) filter (where e.type = 'step_finished' and e.outcome is null)
                   over (partition by e.job_id, e.lease_token) as step_end_seq,
               row_number() over (partition by e.job_id, e.lease_token, e.type, e.outcome order by e.seq, e.ord) as place
          from unnest(p_events) e
    ), judged as (
        select e.*, case
            when e.outcome is not null then e.message
            when e.type in ('scan_progress', 'scan_finished') then
                case when not exists (select 1 from scan_jobs s where s.scan_id = (e.body ->> 'scan_id')::uuid
                                         and s.node_id = e.node_id and s.finished_at is null)
                     then 'the scan is over or not this node''s' end
            when e.type in ('log', 'artifact_created') then
                case when l.lease_token is null then 'the token was never given to this node for this job'
                     when l.ended_at < fn_now() - (select late_evidence from settings) then 'the lease ended too long ago'
                     when e.type = 'artifact_created' and not fn_is_artifact_of(e.body ->> 'key', e.job_id, e.lease_token)
                          then 'the key is not one of this job, node and device' end
            when j.job_id is null then 'no such job'
            when j.mode = 'distributed' then
                case when e.type in ('job_started', 'job_finished') then 'a distributed job has no events of its own'
                     when st.lease_token is null then 'the token is not the step''s current one'
                     when st.finished_at is not null then 'the step has ended'
                     when e.seq <= st.state_seq then 'something later was applied'
                     when e.seq > e.step_end_seq then 'it follows the step''s end' end
            when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id
                 then 'the token is not the job''s current one'
            when j.finished_at is not null then 'the job has ended'
            when e.seq <= j.state_seq then 'something later was applied'
            when e.seq > e.end_seq or (e.type = 'job_finished' and e.place > 1)
                 then 'it follows the job''s end'
            end as fault
          from told e
          left join jobs j on j.job_id = e.job_id and j.job_id = any (array(select o.job_id from unnest(p_events) o))
          left join lateral (
               select k.lease_token, k.ended_at
                 from leases k
                where e.type in ('log', 'artifact_created')
                  and k.job_id = e.job_id and k.lease_token = e.lease_token and k.node_id = e.node_id
                limit 1) l on true
          left join lateral (
               select s.lease_token, s.status, s.finished_at, s.state_seq
                 from job_steps s
                where j.mode = 'distributed' and s.job_id = e.job_id and s.job_attempt = 1 and s.name = e.body ->> 'step'
                  and s.lease_token = e.lease_token and s.lease_owner = e.node_id
                limit 1) st on true
    )
    select coalesce(array_agg(row(g.ord, g.node_id, g.event_id, g.job_id, g.lease_token, g.seq, g.type, g.at, g.body,
                                  coalesce(g.outcome, case when g.fault is null then 'applied' else 'stale' end),
                                  g.fault)::judged_event order by g.ord), '{}')
      into v_events
      from judged g;
    return v_events;
end $$;
