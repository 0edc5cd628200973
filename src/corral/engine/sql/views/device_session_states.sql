-- Sessions as people see them. The state is derived: waiting until its job has started on a phone, then active, until it has ended.
-- It expires ttl after it was opened, last renewed, or given its phone, whichever came last. device is the phone that it has or had.
create or replace view corral.device_session_states as
select s.session_id,
       case when s.ended_at is not null then 'ended' when j.status = 'running' then 'active' else 'waiting' end as state,
       case when d.device_id is not null then jsonb_build_object(
            'device_id', d.device_id, 'index', d.index_no, 'serial', d.serial, 'model', d.model, 'os_version', d.os_version,
            'node_id', coalesce(j.node_id, d.node_id), 'tags', d.tags) end as device,
       coalesce(d.meta ->> 'driver', 'adb') = 'adb' and d.device_id is not null as has_adb,
       s.holder, s.purpose, s.tags, extract(epoch from s.ttl)::double precision as ttl_s, s.created_at, j.started_at,
       greatest(s.renewed_at, j.started_at) + s.ttl as expires_at, s.ended_at, s.end_reason, s.end_message, s.ended_by, s.run_id, j.job_id,
       case when s.ended_at is null and j.status = 'running' then j.lease_token end as lease_token
  from corral.device_sessions s
  left join corral.jobs j on j.run_id = s.run_id
  left join corral.devices d on d.device_id = j.device_id and j.started_at is not null;
