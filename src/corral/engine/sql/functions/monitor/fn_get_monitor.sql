-- The monitor view of a run, as docs/monitor.md promises it: one JSON document in one call. p_device selects a device of the run,
-- by its number or its serial; nobody is selected where it names none. Lists are empty and numbers zero where there is nothing yet.
-- Called by every reader of a run whose version changed; reads the run's jobs, locks nothing. Raises CR001 not_found.
-- Returns JSON as text: the document is written once and sent as it is, without being parsed on its way.
create or replace function corral.fn_get_monitor(p_run_id uuid, p_device text default null) returns text
language plpgsql stable
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
declare
    v_run      run_states;
    v_tiles    text;
    v_counts   json;
    v_recent   uuid[];
begin
    select s.* into v_run from run_states s where s.run_id = p_run_id;
    if v_run.run_id is null then
        raise exception 'no run %', p_run_id using errcode = 'CR001', detail = 'run_id';
    end if;
    select t.tiles, t.counts into v_tiles, v_counts from fn_get_heatmap(p_run_id) t;
    v_recent := array(select j.job_id from jobs j where j.run_id = p_run_id
                       order by coalesce(j.finished_at, j.started_at, j.leased_at, j.queued_at) desc, j.job_id limit 50);

    return concat(
        '{"run":', json_build_object(
            'run_id', v_run.run_id, 'name', v_run.name, 'status', v_run.status,
            'workflow', (select json_build_object('name', w.name, 'version', w.version)
                           from workflows w where w.workflow_id = v_run.workflow_id),
            'policy', v_run.policy, 'youtube_video_id', v_run.youtube_video_id, 'counts', v_counts,
            'last_error_message', v_run.last_error_message, 'created_at', v_run.created_at,
            'started_at', v_run.started_at, 'finished_at', v_run.finished_at, 'cancel_requested_at', v_run.cancel_requested_at,
            'created_by', v_run.created_by, 'retry_of', v_run.retry_of, 'replay_of', v_run.replay_of,
            'source_type', v_run.source_type, 'source_id', v_run.source_id, 'tests', fn_count_cases(p_run_id)),
        ',"heatmap":{"cols":10,"items":', v_tiles,
        '},"selected":', fn_get_selected(p_run_id, p_device),
        ',"logs_tail":', fn_list_last_logs(v_recent, true),
        ',"last_artifacts":', fn_list_last_artifacts(p_run_id, null),
        ',"version":', v_run.version, ',"server_time":', to_json(fn_now()), '}');
end $$;
