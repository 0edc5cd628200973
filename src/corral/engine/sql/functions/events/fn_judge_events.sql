-- Read events, judge them under the locks of their jobs, and record them under their ids, in one statement: what is recorded is
-- what was judged. A state event counts if it carries the job's current token from the node that it was given to, the job has not
-- ended, and nothing later of the same token was applied (or ended the job in this very batch). Logs and artifacts count for any
-- token ever given to that node for that job, for late_evidence after its end (rule 10); an artifact's key must be one of that
-- job, node and device. Steps of distributed jobs are judged against their own row, or that of the step that they are within. What was recorded before, or stands in the
-- batch twice, is a duplicate; what has the wrong shape is invalid and not recorded. Log lines and results of tests are kept in tables
-- of their own, not here again. Results are fenced as states are, but no later word makes them untrue: they may be overtaken.
-- Called by fn_apply_node_events. Locks jobs, then waits for whoever is recording the same event: each in key order. A lock that
-- is taken here shows its row as it is then, so that the judgement needs no later statement.
create or replace function corral.fn_judge_events(p_events jsonb) returns corral.judged_event[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off
as $$
#variable_conflict use_column
declare
    v_events  judged_event[];
begin
    with told as materialized (
        select * from fn_read_events(p_events)
    ), locked as materialized (
        select j.job_id, j.mode, j.status, j.is_started, j.lease_token, j.lease_owner, j.finished_at, j.state_seq
          from jobs j
         where j.job_id = any (array(
                   select t.job_id from told t
                    where t.fault is null and t.type in ('job_started', 'step_started', 'step_finished', 'job_finished', 'test_results')))
         order by j.job_id
           for no key update
    ), ends as (
        select t.job_id, t.lease_token, t.type = 'job_finished' as is_job, min(array[t.seq, t.ord]) as place
          from told t
         where t.fault is null and t.type in ('job_finished', 'step_finished') and not t.body ? 'within'
         group by 1, 2, 3
    ), firsts as (
        select t.node_id, t.event_id, min(t.ord) as ord from told t where t.fault is null group by 1, 2
    ), judged as materialized (
        select e.*, f.ord as first_ord, j.status as job_status, j.is_started, case
            when e.fault is not null then e.fault
            when e.type in ('scan_progress', 'scan_finished') then
                case when not exists (select 1 from scan_jobs s where s.scan_id = (e.body ->> 'scan_id')::uuid
                                         and s.node_id = e.node_id and s.finished_at is null)
                     then 'the scan is over or not this node''s' end
            when e.type in ('log', 'artifact_created') then
                coalesce((select case when l.ended_at < fn_now() - (select c.late_evidence from settings c)
                                      then 'the lease ended too long ago'
                                      when e.type = 'artifact_created' and not fn_is_artifact_of(e.body ->> 'key', e.job_id, e.lease_token)
                                      then 'the key is not one of this job, node and device'
                                      else '' end
                            from leases l
                           where l.job_id = e.job_id and l.lease_token = e.lease_token and l.node_id = e.node_id),
                         'the token was never given to this node for this job')
            when j.job_id is null then 'no such job'
            when j.mode = 'distributed' then
                case when e.type in ('job_started', 'job_finished') then 'a distributed job has no events of its own'
                     else coalesce((select case when s.finished_at is not null then 'the step has ended'
                                                when e.seq <= s.state_seq and e.type <> 'test_results' then 'something later was applied'
                                                when e.seq > step_end.place[1] then 'it follows the step''s end' else '' end
                                      from job_steps s
                                     where s.job_id = e.job_id and s.job_attempt = 1 and s.name = coalesce(e.body ->> 'within', e.body ->> 'step')
                                       and s.lease_token = e.lease_token and s.lease_owner = e.node_id),
                                   'the token is not the step''s current one') end
            when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id
                 then 'the token is not the job''s current one'
            when j.finished_at is not null then 'the job has ended'
            when e.seq <= j.state_seq and e.type <> 'test_results' then 'something later was applied'
            when e.seq > job_end.place[1] or (e.type = 'job_finished' and array[e.seq, e.ord] > job_end.place)
                 then 'it follows the job''s end'
            end as judgement
          from told e
          left join locked j on j.job_id = e.job_id
          left join firsts f on f.node_id = e.node_id and f.event_id = e.event_id and f.ord = e.ord
          left join ends job_end on job_end.is_job and job_end.job_id = e.job_id and job_end.lease_token = e.lease_token
          left join ends step_end on not step_end.is_job and step_end.job_id = e.job_id and step_end.lease_token = e.lease_token
    ), recorded as (
        insert into node_events (node_id, event_id, job_id, seq, type, outcome, message, received_at, payload)
        select e.node_id, e.event_id, e.job_id, e.seq, e.type,
               case when coalesce(e.judgement, '') = '' then 'applied' else 'stale' end, nullif(e.judgement, ''), fn_now(),
               case when e.type in ('log', 'test_results') and coalesce(e.judgement, '') = '' then null
                    else e.body - '{node_id,event_id,job_id,lease_token,seq,type}'::text[] end
          from judged e
         where e.fault is null and e.first_ord is not null
         order by e.node_id, e.event_id
        on conflict (node_id, event_id) do nothing
        returning node_id, event_id
    )
    select coalesce(array_agg(row(
               e.ord, e.node_id, e.event_id, e.job_id, e.lease_token, e.seq, e.type, e.at, e.body,
               case when e.fault is not null then 'invalid'
                    when r.event_id is null or e.first_ord is null then 'duplicate'
                    when coalesce(e.judgement, '') = '' then 'applied'
                    else 'stale' end,
               case when e.fault is not null or (r.event_id is not null and e.first_ord is not null) then nullif(e.judgement, '') end,
               e.job_status, e.is_started
           )::judged_event order by e.ord), '{}')
      into v_events
      from judged e
      left join recorded r on r.node_id = e.node_id and r.event_id = e.event_id;
    return v_events;
end $$;
