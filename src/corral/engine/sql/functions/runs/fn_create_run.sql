-- Ask for a workflow to be executed on a target. The run is stored at once; its jobs are made by fn_fan_out_run, in chunks.
-- p_request holds target, params, secret_params, overrides, policy {concurrency, offline, wait_timeout_s, max_attempts, priority,
-- grace_wait_s}, timeout_s, repeatable, name, workspace, seed, youtube_video_id, source_type, source_id, retry_of, replay_of; of a
-- distributed run also steps (see fn_add_steps), which are made with it, and log_path.
-- A replay takes over the seed. Locks nothing that others hold. Raises CR001 not_found, CR002 invalid_request with the path.
create or replace function corral.fn_create_run(p_workflow_id uuid, p_request jsonb, p_actor text) returns corral.runs
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now       timestamptz := fn_now();
    v_workflow  workflows;
    v_policy    jsonb := coalesce(p_request -> 'policy', '{}');
    v_target    jsonb := coalesce(p_request -> 'target', '{"all": true}');
    v_run       runs;
begin
    select w.* into v_workflow from workflows w where w.workflow_id = p_workflow_id;
    if v_workflow.workflow_id is null then
        raise exception 'no workflow %', p_workflow_id using errcode = 'CR001', detail = 'workflow_id';
    end if;
    perform fn_check_policy(v_policy);
    if v_workflow.mode = 'device' then
        perform fn_check_target(v_target);
    end if;

    insert into runs (run_id, workflow_id, workspace, name, mode, target, params, overrides, policy, priority, skip_offline,
                      wait_timeout, job_timeout, max_attempts, seed, youtube_video_id, source_type, source_id, created_by,
                      retry_of, replay_of, fan_out_until, created_at)
    values (fn_uuid7(), p_workflow_id, coalesce(p_request ->> 'workspace', 'default'),
            coalesce(p_request ->> 'name', v_workflow.name), v_workflow.mode, v_target,
            coalesce(p_request -> 'params', '{}'), coalesce(p_request -> 'overrides', '{}'), v_policy,
            coalesce((v_policy ->> 'priority')::integer, 0),
            coalesce(v_policy ->> 'offline', 'skip') = 'skip',
            make_interval(secs => coalesce((v_policy ->> 'wait_timeout_s')::double precision, 3600)),
            make_interval(secs => coalesce((p_request ->> 'timeout_s')::double precision, 600)),
            case when coalesce((p_request ->> 'repeatable')::boolean, true)
                 then coalesce((v_policy ->> 'max_attempts')::integer, 3) else 1 end,
            coalesce(p_request ->> 'seed',
                     (select o.seed from runs o where o.run_id = (p_request ->> 'replay_of')::uuid),
                     encode(uuid_send(gen_random_uuid()), 'hex')),
            p_request ->> 'youtube_video_id', p_request ->> 'source_type', p_request ->> 'source_id', p_actor,
            (p_request ->> 'retry_of')::uuid, (p_request ->> 'replay_of')::uuid,
            (select coalesce(max(d.index_no), 0) from devices d), v_now)
    returning * into v_run;

    insert into run_versions (run_id, stripe) values (v_run.run_id, 0);
    if p_request ? 'secret_params' and p_request -> 'secret_params' <> '{}' then
        insert into run_secrets (run_id, params) values (v_run.run_id, p_request -> 'secret_params');
    end if;
    if v_policy ->> 'concurrency' is not null then
        insert into run_gates (run_id, cap) values (v_run.run_id, (v_policy ->> 'concurrency')::integer);
    end if;
    if v_run.mode = 'distributed' then
        perform fn_create_distributed_job(v_run, nullif(p_request -> 'steps', 'null'), p_request ->> 'log_path');
    end if;
    perform fn_record_audit(p_actor, 'run.create', v_run.run_id::text,
                            jsonb_strip_nulls(jsonb_build_object('workflow', v_workflow.name, 'version', v_workflow.version,
                                                                 'retry_of', v_run.retry_of, 'replay_of', v_run.replay_of)));
    select r.* into v_run from runs r where r.run_id = v_run.run_id;
    return v_run;
end $$;
