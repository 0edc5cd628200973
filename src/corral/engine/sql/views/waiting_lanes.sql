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
select w.*,
       -- A job that was leased before may have a result under way: it is given longer, and then called lost rather than skipped.
       case when w.skip_offline and not w.was_leased and w.offline_since <= corral.fn_now() - s.offline_grace then 'skipped_offline'
            when w.skip_offline and w.was_leased and w.offline_since <= corral.fn_now() - s.lost_grace then 'node_lost'
            when greatest(w.unavailable_since, w.queued_at) <= corral.fn_now() - w.wait_timeout then 'wait_timeout'
       end as verdict
  from corral.settings s,
       (select l.device_id, l.node_id, l.job_id, j.run_id, j.queued_at, j.lease_token is not null as was_leased,
               r.skip_offline, r.wait_timeout,
               least(d.unavailable_since, n.draining_since, silence.since) as unavailable_since,
               least(d.unavailable_since, silence.since) as offline_since,
               case when n.lease_until < corral.fn_now() then format('node %s is silent', l.node_id)
                    when d.health = 'quarantined'
                         then format('device is quarantined: %s', coalesce(d.health_reason, 'no reason given'))
                    when d.connection <> 'connected' then format('device is %s', replace(d.connection, '_', ' '))
                    when d.contested_node_id is not null then format('device is contested by node %s', d.contested_node_id)
                    when n.draining then format('node %s is draining', l.node_id)
               end as why
          from out_of_service o
          join corral.lanes l on l.device_id = o.device_id and l.ticket is not null
          join corral.devices d on d.device_id = l.device_id
          join corral.nodes n on n.node_id = l.node_id
          join corral.jobs j on j.job_id = l.job_id
          join corral.runs r on r.run_id = j.run_id
         -- A silence counts from where it could have been heard: not from the middle of an outage of ours.
         left join lateral (select greatest(n.lease_until, u.verdicts_from) as since
                              from corral.upkeep u where n.lease_until < corral.fn_now()) silence on true) w;
