-- The request that would ask for the same run again, secrets included, but for its target: same params, overrides, policy and seed, so that
-- every draw repeats. Called by fn_retry_run and fn_replay_run only: it holds secrets.
create or replace function corral.fn_describe_request(p_run corral.runs) returns jsonb
language sql stable
set search_path = corral, pg_catalog
as $$
    select jsonb_strip_nulls(jsonb_build_object(
        'seed', p_run.seed, 'name', p_run.name, 'workspace', p_run.workspace, 'timeout_s', extract(epoch from p_run.job_timeout),
        'repeatable', p_run.max_attempts > 1, 'youtube_video_id', p_run.youtube_video_id, 'source_type', p_run.source_type,
        'source_id', p_run.source_id))
        -- Not stripped of nulls: a param may be one.
        || jsonb_build_object('params', p_run.params, 'overrides', p_run.overrides, 'policy', p_run.policy,
                              'secret_params', coalesce((select s.params from run_secrets s where s.run_id = p_run.run_id), '{}'))
$$;
