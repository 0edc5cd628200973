-- Judge events under the locks of their jobs. A state event counts if it carries the job's current token from the node that it was
-- given to, the job has not ended, and nothing later of the same token was applied (or ended the job in this very batch).
-- Logs and artifacts count for any token ever given to that node for that job, for late_evidence after its end (rule 10).
-- Called by fn_apply_node_events, in a later statement than the locks were taken in. Steps of distributed jobs are judged
-- against their own row.
create or replace function corral.fn_judge_events(p_events corral.judged_event[]) returns corral.judged_event[]
language sql stable
set search_path = corral, pg_catalog
as $$
    with ends as materialized (
        select e.job_id, e.lease_token, min(e.seq) as seq
          from unnest(p_events) e
         where e.type = 'job_finished' and e.outcome is null
         group by 1, 2
    ), step_ends as materialized (
        select e.job_id, e.lease_token, min(e.seq) as seq
          from unnest(p_events) e
         where e.type = 'step_finished' and e.outcome is null
         group by 1, 2
    ), judged as (
        select e, case
            when e.outcome is not null then e.message
            when e.type in ('scan_progress', 'scan_finished') then
                case when not exists (select 1 from scan_jobs s where s.scan_id = (e.body ->> 'scan_id')::uuid
                                         and s.node_id = e.node_id and s.finished_at is null)
                     then 'the scan is over or not this node''s' end
            when e.type in ('log', 'artifact_created') then
                case when l.lease_token is null then 'the token was never given to this node for this job'
                     when l.ended_at < fn_now() - (select late_evidence from settings) then 'the lease ended too long ago' end
            when j.job_id is null then 'no such job'
            when j.mode = 'distributed' then
                case when e.type in ('job_started', 'job_finished') then 'a distributed job has no events of its own'
                     when st.lease_token is null then 'the token is not the step''s current one'
                     when st.finished_at is not null then 'the step has ended'
                     when e.seq <= st.state_seq then 'something later was applied'
                     when e.seq > sf.seq then 'it follows the step''s end' end
            when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id
                 then 'the token is not the job''s current one'
            when j.finished_at is not null then 'the job has ended'
            when e.seq <= j.state_seq then 'something later was applied'
            when e.seq > f.seq then 'it follows the job''s end'
            when e.type = 'job_finished' and exists (
                     select 1 from unnest(p_events) o
                      where o.type = 'job_finished' and o.outcome is null and o.job_id = e.job_id and o.lease_token = e.lease_token
                        and (o.seq, o.ord) < (e.seq, e.ord)) then 'it follows the job''s end'
            end as fault
          from unnest(p_events) e
          left join jobs j on j.job_id = e.job_id
          left join leases l on l.job_id = e.job_id and l.lease_token = e.lease_token and l.node_id = e.node_id
                            and e.type in ('log', 'artifact_created')
          left join job_steps st on j.mode = 'distributed' and st.job_id = e.job_id and st.job_attempt = 1
                            and st.name = e.body ->> 'step' and st.lease_token = e.lease_token and st.lease_owner = e.node_id
          left join step_ends sf on j.mode = 'distributed' and sf.job_id = e.job_id and sf.lease_token = e.lease_token
          left join ends f on f.job_id = e.job_id and f.lease_token = e.lease_token
    )
    select coalesce(array_agg(row((g.e).ord, (g.e).node_id, (g.e).event_id, (g.e).job_id, (g.e).lease_token, (g.e).seq, (g.e).type,
                                  (g.e).at, (g.e).body,
                                  coalesce((g.e).outcome, case when g.fault is null then 'applied' else 'stale' end),
                                  g.fault)::judged_event order by (g.e).ord), '{}')
      from judged g
$$;
