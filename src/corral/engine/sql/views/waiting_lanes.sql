-- Lanes whose head waits where no work can start now, since when, and why: what upkeep judges and explain tells.
-- A lane that merely waits for its turn is not here. Starts from what is out of service, not from the farm.
create or replace view corral.waiting_lanes as
with out_of_service as (
    select u.device_id from corral.lanes u where not u.is_available
    union
    select u.device_id
      from corral.nodes s join corral.lanes u on u.node_id = s.node_id
     where s.lease_until < corral.fn_now() or s.draining
)
select l.device_id, l.node_id, l.job_id, j.run_id, j.queued_at, r.skip_offline, r.wait_timeout,
       d.connection <> 'connected' or d.health = 'quarantined' or n.lease_until < corral.fn_now() as is_offline,
       least(d.unavailable_since, n.draining_since, case when n.lease_until < corral.fn_now() then n.lease_until end)
           as unavailable_since,
       least(d.unavailable_since, case when n.lease_until < corral.fn_now() then n.lease_until end) as offline_since,
       case when n.lease_until < corral.fn_now() then format('node %s is silent', l.node_id)
            when d.health = 'quarantined' then format('device is quarantined: %s', coalesce(d.health_reason, 'no reason given'))
            when d.connection <> 'connected' then format('device is %s', replace(d.connection, '_', ' '))
            when d.contested_node_id is not null then format('device is contested by node %s', d.contested_node_id)
            when n.draining then format('node %s is draining', l.node_id)
       end as why
  from out_of_service o
  join corral.lanes l on l.device_id = o.device_id and l.ticket is not null
  join corral.devices d on d.device_id = l.device_id
  join corral.nodes n on n.node_id = l.node_id
  join corral.jobs j on j.job_id = l.job_id
  join corral.runs r on r.run_id = j.run_id;
