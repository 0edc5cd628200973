-- Runs with their counts, from the stripes: one short range of rows per run, however many jobs it has. No secrets.
-- version only grows: the stripes count what jobs and their evidence do; the rest of the sum is what changes on the run's own row.
create or replace view corral.run_states as
select r.run_id, r.workflow_id, r.workspace, r.name, r.mode, r.target, r.params, r.overrides, r.policy, r.priority, r.seed,
       r.youtube_video_id, r.source_type, r.source_id, r.created_by, r.retry_of, r.replay_of, r.status, r.total_jobs,
       r.total_jobs - c.leased - c.succeeded - c.failed - c.cancelled - c.skipped_offline as waiting,
       c.leased, c.succeeded, c.failed, c.cancelled, c.skipped_offline,
       c.version + r.total_jobs
           + num_nonnulls(r.cancel_requested_at, r.fanned_out_at, r.started_at, r.finished_at, r.reviewed_at) as version,
       c.last_error_message, r.cancel_requested_at, r.fanned_out_at, r.created_at, r.started_at, r.finished_at, r.reviewed_at
  from corral.runs r
 cross join lateral (
       select coalesce(sum(v.leased), 0)::integer as leased, coalesce(sum(v.succeeded), 0)::integer as succeeded,
              coalesce(sum(v.failed), 0)::integer as failed, coalesce(sum(v.cancelled), 0)::integer as cancelled,
              coalesce(sum(v.skipped_offline), 0)::integer as skipped_offline, coalesce(sum(v.version), 0)::bigint as version,
              (array_agg(v.last_error_message order by v.last_error_at desc nulls last))[1] as last_error_message
         from corral.run_versions v where v.run_id = r.run_id) c;
