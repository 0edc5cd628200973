-- Every way in which the books could contradict themselves: returns what is broken, with enough to find it; nothing, unless there is a
-- bug. Reads in one snapshot, locks nothing, and is slow on a big farm: for tests, doctors and nights.
create or replace function corral.fn_check_invariants()
returns table (invariant text, object text, detail text)
language sql stable
set search_path = corral, pg_catalog
as $$
    -- 1. A device has at most one live lease, and a leased job belongs to the node that its device is on.
    select 'lane and job agree on the lease', l.device_id::text,
           format('lane: job %s token %s node %s; job: %s token %s owner %s', l.job_id, l.lease_token, l.node_id, j.status, j.lease_token,
                  j.lease_owner)
      from lanes l left join jobs j on j.job_id = l.job_id
     where l.lease_token is not null
       and (j.job_id is null or j.status not in ('leased', 'running') or j.lease_token is distinct from l.lease_token
            or j.lease_owner is distinct from l.node_id or j.device_id is distinct from l.device_id)
    union all
    select 'a leased job has its lane', j.job_id::text, format('%s on device %s', j.status, j.device_id)
      from jobs j left join lanes l on l.device_id = j.device_id
     where j.mode = 'device' and j.status in ('leased', 'running') and l.lease_token is distinct from j.lease_token
    union all
    select 'a device with a lease stays on its node', d.device_id::text, format('device on %s, lane on %s', d.node_id, l.node_id)
      from devices d join lanes l on l.device_id = d.device_id
     where l.node_id <> d.node_id
    union all
    select 'a lane says whether its device can work', l.device_id::text, format('lane says %s', l.is_available)
      from devices d join lanes l on l.device_id = d.device_id
     where l.is_available <> (d.unavailable_since is null and d.contested_node_id is null)
    union all
    select 'every device has a lane', d.device_id::text, d.serial
      from devices d where not exists (select 1 from lanes l where l.device_id = d.device_id)
    -- 2. Each live lease is recorded, and only live leases are open.
    union all
    select 'open leases are the live ones', l.lease_token::text, format('job %s step %s of node %s', l.job_id, l.step, l.node_id)
      from leases l join jobs j on j.job_id = l.job_id
      left join job_steps s on s.job_id = l.job_id and s.job_attempt = 1 and s.name = l.step
     where l.ended_at is null
       and case when l.step is null then j.status not in ('leased', 'running') or j.lease_token <> l.lease_token
                else s.status <> 'running' or s.lease_token is distinct from l.lease_token end
    union all
    select 'a live lease is recorded', j.job_id::text, format('token %s', j.lease_token)
      from jobs j
     where j.mode = 'device' and j.status in ('leased', 'running')
       and not exists (select 1 from leases l where l.job_id = j.job_id and l.lease_token = j.lease_token and l.ended_at is null)
    -- 3. A node never holds more than its slots, a run never more than its cap.
    union all
    select 'a node holds no more than its slots', n.node_id, format('%s leases, %s + %s slots', h.held, n.max_concurrency, n.lookahead)
      from nodes n,
           lateral (select (select count(*) from lanes l where l.node_id = n.node_id and l.lease_token is not null
                               and l.lease_epoch = n.epoch)
                         + (select count(*) from job_steps s where s.status = 'running' and s.lease_token is not null
                               and s.lease_owner = n.node_id and s.lease_epoch = n.epoch) as held) h
     where h.held > n.max_concurrency + n.lookahead
    union all
    select 'a gate counts its leases', g.run_id::text, format('in_flight %s, leased %s, cap %s', g.in_flight, c.live, g.cap)
      from run_gates g join runs r on r.run_id = g.run_id and r.mode = 'device',
           lateral (select count(*) as live from jobs j where j.run_id = g.run_id and j.status in ('leased', 'running')) c
     where g.in_flight <> c.live
    -- 4. FIFO: a lane's head is the first of its queue, and no job started before one that was queued ahead of it.
    union all
    select 'a waiting lane holds the head of its queue', l.device_id::text, format('head %s, first %s', l.job_id, h.job_id)
      from lanes l
      left join lateral (select j.job_id from jobs j where j.device_id = l.device_id and j.is_waiting
                          order by j.priority desc, j.position limit 1) h on true
     where l.lease_token is null and l.job_id is distinct from h.job_id
    union all
    select 'a lane knows its head''s priority and gate', l.device_id::text, format('job %s', l.job_id)
      from lanes l join jobs j on j.job_id = l.job_id
     where l.ticket is not null
       and (l.head_priority <> j.priority or l.gate_run_id is distinct from case when j.is_gated then j.run_id end)
    -- 5. Every run ends: terminal if and only if all its jobs are. Counts add up. No lease without an expiry.
    union all
    select 'an ended run has only ended jobs', r.run_id::text, format('%s with %s open jobs', r.status, c.open)
      from runs r, lateral (select count(*) as open from jobs j where j.run_id = r.run_id and j.finished_at is null) c
     where r.finished_at is not null and c.open > 0
    union all
    select 'a run''s counts add up', r.run_id::text,
           format('total %s of %s jobs; leased %s/%s, succeeded %s/%s, failed %s/%s, cancelled %s/%s, skipped %s/%s', r.total_jobs, c.total,
                  v.leased, c.leased, v.succeeded, c.succeeded, v.failed, c.failed, v.cancelled, c.cancelled, v.skipped, c.skipped)
      from runs r,
           lateral (select count(*) as total, count(*) filter (where j.status in ('leased', 'running') and j.mode = 'device') as leased,
                           count(*) filter (where j.status = 'succeeded') as succeeded,
                           count(*) filter (where j.status = 'failed') as failed,
                           count(*) filter (where j.status = 'cancelled') as cancelled,
                           count(*) filter (where j.status = 'skipped_offline') as skipped
                      from jobs j where j.run_id = r.run_id) c,
           lateral (select coalesce(sum(s.leased), 0) as leased, coalesce(sum(s.succeeded), 0) as succeeded,
                           coalesce(sum(s.failed), 0) as failed, coalesce(sum(s.cancelled), 0) as cancelled,
                           coalesce(sum(s.skipped_offline), 0) as skipped
                      from run_versions s where s.run_id = r.run_id) v
     where (r.total_jobs, v.leased, v.succeeded, v.failed, v.cancelled, v.skipped)
           is distinct from (c.total, c.leased, c.succeeded, c.failed, c.cancelled, c.skipped)
       and not exists (select 1 from runs p where p.run_id = r.run_id and p.finished_at is not null and c.total < p.total_jobs)
    union all
    select 'a run whose jobs ended is ended', r.run_id::text, r.status
      from runs r
     where r.finished_at is null and r.fanned_out_at is not null
       and not exists (select 1 from jobs j where j.run_id = r.run_id and j.finished_at is null)
    union all
    select 'no lease without an expiry', l.device_id::text, format('node %s', l.node_id)
      from lanes l
     where l.lease_token is not null
       and not exists (select 1 from nodes n join jobs j on j.job_id = l.job_id
                        where n.node_id = l.node_id and n.lease_until is not null and j.deadline_at is not null)
    union all
    select 'a session lives as long as its run is wanted', s.session_id::text,
           format('session %s, run %s', coalesce(s.end_reason, 'live'), coalesce(r.status, 'gone'))
      from device_sessions s left join runs r on r.run_id = s.run_id
     where case when s.ended_at is null then r.run_id is null or r.finished_at is not null
                else r.finished_at is null and r.cancel_requested_at is null end
    -- The distributed half.
    union all
    select i.invariant, i.object, i.detail from fn_check_step_invariants() i
    -- Tests.
    union all
    select i.invariant, i.object, i.detail from fn_check_test_invariants() i
$$;
