-- Artifacts with their device. Size, sha256 and type are what was measured when the bytes came, and what the node said only
-- where they came another way.
create or replace view corral.artifact_states as
select a.artifact_id, a.key, a.run_id, a.job_id, a.device_id, d.serial, d.index_no, a.node_id, a.step, a.attempt, a.kind,
       coalesce(u.content_type, a.content_type) as content_type, coalesce(u.size_bytes, a.size_bytes) as size_bytes,
       coalesce(u.sha256, a.sha256) as sha256, u.stored_at is not null as is_stored,
       format('/api/artifacts/%s/content', a.artifact_id) as url, a.at, a.created_at
  from corral.artifacts a
  left join corral.artifact_uploads u on u.key = a.key
  left join corral.devices d on d.device_id = a.device_id;
