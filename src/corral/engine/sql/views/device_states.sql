-- Devices as people see them. Online is derived, never written: its node is alive and reported it connected.
-- A connected device was last seen with its node's last heartbeat, another one when it stopped being connected.
-- It is running once its job has started; one that is at its node and not begun waits, as one in the queue does. Of jobs only those
-- that are leased are read, by key. held_by is the holder of the session that has it.
create or replace view corral.device_states as
select d.device_id, d.node_id, d.serial, d.index_no, d.runtime_handle, d.label, d.tags, d.model, d.os_version, d.battery, d.temperature,
       d.connection, d.health, d.health_reason, d.contested_node_id, d.last_error_message, d.changed_at,
       case when d.connection = 'connected' then n.last_heartbeat_at else least(d.unavailable_since, n.last_heartbeat_at) end
           as last_seen,
       d.connection = 'connected' and n.lease_until >= corral.fn_now() as online,
       case when d.connection <> 'connected' or n.lease_until < corral.fn_now() then 'offline'
            when d.health = 'quarantined' then 'quarantined' when j.status = 'running' then 'running'
            when l.job_id is not null then 'waiting' else 'idle' end as activity,
       s.holder as held_by, s.session_id
  from corral.devices d
  join corral.nodes n on n.node_id = d.node_id
  join corral.lanes l on l.device_id = d.device_id
  left join corral.jobs j on j.job_id = l.job_id and l.lease_token is not null
  left join corral.device_sessions s on s.run_id = j.run_id and j.status = 'running' and s.ended_at is null;
