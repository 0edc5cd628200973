-- Apply what nodes report: record, verify, apply, all in one transaction, so that an event is applied exactly as often as it is
-- recorded: once. p_events is a list of {node_id, event_id, job_id, lease_token, seq, type, at, …}, of one node or of many
-- (callbacks that are committed together). Answers each with applied, duplicate, stale (too late: changes nothing, kept for audit)
-- or invalid, in the order given. Events are fenced by token, never by epoch.
-- Locks lanes of finishing jobs, then jobs, then event keys, steps, units of tests, gates, stripes, runs: each in key order.
create or replace function corral.fn_apply_node_events(p_events jsonb)
returns table (event_id text, outcome text, message text)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_events    judged_event[];
    v_moves     boolean;
    v_steps     boolean;
    v_evidence  boolean;
    v_scans     boolean;
    v_tests     boolean;
    v_changes   job_change[];
    v_news      job_ended[] := '{}';
    v_effects   job_effects;
begin
    if p_events @? '$[*] ? (@.type == "job_finished")' then
        perform 1
           from lanes l
          where l.device_id = any (array(
                    select j.device_id from jobs j
                     where j.job_id = any (array(
                               select e.body ->> 'job_id' from jsonb_array_elements(p_events) as e (body)
                                where e.body ->> 'type' = 'job_finished' and fn_is_uuid(e.body ->> 'job_id'))::uuid[])))
          order by l.device_id
            for no key update;
    end if;
    if p_events @? '$[*] ? (@.type == "step_started" || @.type == "step_finished")' then
        perform fn_lock_told_steps(p_events);
    end if;
    if p_events @? '$[*] ? (@.type == "log" || @.type == "artifact_created" || exists (@.within))' then
        perform fn_record_step_leases(array_agg((e.body ->> 'job_id')::uuid), array_agg(e.body ->> 'node_id'),
                                      array_agg((e.body ->> 'lease_token')::uuid))
           from jsonb_array_elements(p_events) as e (body)
          where (e.body ->> 'type' in ('log', 'artifact_created') or e.body ? 'within')
            and fn_is_uuid(e.body ->> 'job_id') and fn_is_uuid(e.body ->> 'lease_token');
    end if;
    v_events := fn_judge_events(p_events);

    select coalesce(bool_or(e.type in ('job_started', 'step_started', 'step_finished')
                            or (e.type = 'test_results' and not e.is_started)
                            or (e.type = 'job_finished' and not (e.is_started and e.body ->> 'outcome' in ('succeeded', 'failed')))), false),
           coalesce(bool_or(e.type in ('step_started', 'step_finished')), false),
           coalesce(bool_or(e.type in ('log', 'artifact_created', 'test_results')), false),
           coalesce(bool_or(e.type in ('scan_progress', 'scan_finished')), false),
           coalesce(bool_or(e.type = 'test_results'), false)
      into v_moves, v_steps, v_evidence, v_scans, v_tests
      from unnest(v_events) e
     where e.outcome = 'applied';
    v_changes := fn_read_endings(v_events);
    if v_moves then
        v_news := fn_apply_job_progress(v_events);
    end if;
    if v_steps or p_events @? '$[*].steps' then
        perform fn_apply_steps(v_events);
    end if;
    if v_evidence then
        perform fn_apply_evidence(v_events);
        v_news := v_news || fn_list_evidence(v_events);
    end if;
    if v_tests then
        perform fn_apply_test_results(v_events);
    end if;
    if v_scans then
        perform fn_apply_scans(v_events);
    end if;
    if v_steps then
        v_effects := fn_apply_step_leases(v_events);
        v_changes := v_changes || v_effects.changes;
        v_news := v_news || v_effects.news;
    end if;
    perform fn_conclude_jobs(v_changes, v_news);
    return query
        select coalesce(e.event_id::text, e.body ->> 'event_id'), e.outcome, e.message
          from unnest(v_events) e order by e.ord;
end $$;
