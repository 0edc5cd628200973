-- The distributed half of fn_check_invariants: how the books of steps, their needs, their leases and their jobs could contradict.
create or replace function corral.fn_check_step_invariants()
returns table (invariant text, object text, detail text)
language sql stable
set search_path = corral, pg_catalog
as $$
    with steps as materialized (
        select s.*, j.run_id as run_of_job, format('%s/%s', s.job_id, s.name) as object,
               fn_is_unmet(s.status, s.skip_cause, s.continue_on_failure) as is_unmet
          from job_steps s join jobs j on j.job_id = s.job_id and j.mode = 'distributed'
         where s.job_attempt = 1
    ), needs as materialized (
        select n.job_id, n.step, count(*) filter (where o.finished_at is null) as open, count(*) filter (where o.is_unmet) as unmet,
               count(*) as total, count(o.name) as found
          from step_needs n left join steps o on o.job_id = n.job_id and o.name = n.needed
         group by n.job_id, n.step
    )
    select 'a step waits for exactly its unfinished needs', s.object,
           format('counts %s open and %s unmet, finds %s and %s, is %s', s.pending_needs, s.unmet_needs, n.open, n.unmet, s.status)
      from steps s left join needs n on n.job_id = s.job_id and n.step = s.name
     where s.status in ('pending', 'ready', 'running')
       and (s.pending_needs <> coalesce(n.open, 0) or s.unmet_needs <> coalesce(n.unmet, 0)
            or (s.status = 'pending') <> (coalesce(n.open, 0) > 0))
    union all
    select 'a step''s needs exist and are its edges', s.object, format('needs %s, %s edges', s.needs, n.total)
      from steps s left join needs n on n.job_id = s.job_id and n.step = s.name
     where cardinality(s.needs) <> coalesce(n.total, 0) or n.total <> n.found
    union all
    select 'no step runs after a failure that stops it', s.object, format('%s with %s unmet needs', s.status, n.unmet)
      from steps s join needs n on n.job_id = s.job_id and n.step = s.name
     where n.unmet > 0 and not s.continue_on_failure and s.status in ('ready', 'running', 'succeeded', 'failed')
    union all
    select 'only a failure above skips a step from above', s.object, format('unmet needs: %s', n.unmet)
      from steps s left join needs n on n.job_id = s.job_id and n.step = s.name
     where s.status = 'skipped' and s.skip_cause = 'upstream' and coalesce(n.unmet, 0) = 0
    union all
    select 'a ready step can be found', s.object, format('demand %s, sequence %s', s.demand_id, s.ready_seq)
      from steps s left join demands d on d.demand_id = s.demand_id
     where s.status = 'ready' and (d.requires is distinct from s.requires or s.ready_seq is null or s.ready_at is null)
    union all
    select 'a step is of its job''s run', s.object, format('run %s, its job''s %s', s.run_id, s.run_of_job)
      from steps s
     where s.run_id is distinct from s.run_of_job
    union all
    select 'a running step has a lease with an expiry', s.object,
           format('token %s of node %s until %s', s.lease_token, s.lease_owner, s.lease_until)
      from steps s
     where s.status = 'running'
       and (s.lease_until is null or s.lease_epoch is null or s.granted_at is null
            or not (exists (select 1 from nodes n where n.node_id = s.lease_owner)
                    or exists (select 1 from agents a where fn_agent_owner(a.agent_id) = s.lease_owner))
            or s.is_recorded <> exists (select 1 from leases l where l.job_id = s.job_id and l.lease_token = s.lease_token
                                           and l.step = s.name and l.node_id = s.lease_owner and l.ended_at is null))
    union all
    select 'the last lease of a step is recorded, or it succeeded', s.object, format('token %s, %s', s.lease_token, s.status)
      from steps s
     where s.status <> 'running' and s.lease_token is not null and (s.is_recorded or s.status <> 'succeeded')
       and not exists (select 1 from leases l where l.job_id = s.job_id and l.lease_token = s.lease_token and l.step = s.name
                          and l.ended_at is not null)
    union all
    select 'a step that started counted its attempt', s.object, format('attempt %s, %s', s.attempt, s.status)
      from steps s
     where (s.is_started or s.status in ('succeeded')) and s.attempt = 0
    union all
    select 'a distributed job counts its steps', j.job_id::text,
           format('counts %s open, %s done of %s; has %s open of %s; is %s', j.open_steps,
                  j.steps_done, j.steps_total, c.open, c.total, j.status)
      from jobs j, lateral (select count(*) filter (where s.finished_at is null) as open, count(*) as total
                              from job_steps s where s.job_id = j.job_id and s.job_attempt = 1) c
     where j.mode = 'distributed'
       and (j.open_steps <> c.open or j.steps_total <> c.total or j.steps_done <> c.total - c.open
            or (j.finished_at is not null and c.open > 0))
    union all
    select 'a closed job ends with its steps', j.job_id::text, j.status
      from jobs j
     where j.mode = 'distributed' and j.finished_at is null and not j.is_open and j.steps_total > 0 and j.open_steps = 0
    union all
    select 'a job ends as its steps did', j.job_id::text, format('succeeded, but %s is %s', s.name, s.status)
      from jobs j join steps s on s.job_id = j.job_id
     where j.status = 'succeeded' and s.is_unmet
    union all
    select 'a started step means a started job', s.object, j.status
      from steps s join jobs j on j.job_id = s.job_id
     where s.is_started and s.attempt > 0 and s.status <> 'running' and j.status = 'queued'
    union all
    select 'a capped run stays within its cap', j.run_id::text, format('%s steps run or may be claimed, of %s', count(*), g.cap)
      from steps s join jobs j on j.job_id = s.job_id and j.is_gated join run_gates g on g.run_id = j.run_id
     where s.status = 'running' or (s.status = 'ready' and coalesce(s.available_at, fn_now()) < 'infinity')
     group by j.run_id, g.cap
    having count(*) > g.cap
    union all
    select 'a step is held back only by a full run or a lock', s.object, format('%s of %s places are taken', c.taken, g.cap)
      from steps s join jobs j on j.job_id = s.job_id and j.finished_at is null left join run_gates g on g.run_id = j.run_id,
           lateral (select count(*) as taken from steps o where o.job_id = s.job_id
                       and (o.status = 'running' or (o.status = 'ready' and coalesce(o.available_at, fn_now()) < 'infinity'))) c
     where s.status = 'ready' and s.available_at = 'infinity' and c.taken < coalesce(g.cap, 1000000)
       and not exists (select 1 from chains h where h.chain_id = s.job_id and h.is_locked)
       and not exists (select 1 from tasks t where t.chain_id = s.job_id and t.step = s.name and t.is_locked)
$$;
