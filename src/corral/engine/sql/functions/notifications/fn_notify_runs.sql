-- Tell that runs have ended: run.failed where a job failed, run.finished where none did. The end of a session is nobody's news.
-- Called by fn_advance_runs, last.
create or replace function corral.fn_notify_runs(p_run_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
begin
    if not exists (select 1 from webhooks w where w.is_enabled and w.events && '{run.finished,run.failed}') then
        return;
    end if;
    perform fn_notify(
                case when s.status in ('failed', 'completed_with_errors') then 'run.failed' else 'run.finished' end,
                s.run_id::text,
                jsonb_build_object('run', jsonb_build_object(
                    'run_id', s.run_id, 'name', s.name, 'status', s.status, 'workspace', s.workspace,
                    'workflow', jsonb_build_object('name', w.name, 'version', w.version),
                    'counts', jsonb_build_object('total', s.total_jobs, 'succeeded', s.succeeded, 'failed', s.failed,
                                                 'cancelled', s.cancelled, 'skipped_offline', s.skipped_offline),
                    'created_by', s.created_by, 'source_type', s.source_type, 'source_id', s.source_id,
                    'created_at', s.created_at, 'started_at', s.started_at, 'finished_at', s.finished_at,
                    'last_error_message', s.last_error_message)))
       from run_states s join workflows w on w.workflow_id = s.workflow_id
      where s.run_id = any (p_run_ids) and s.source_type is distinct from 'session';
end $$;
