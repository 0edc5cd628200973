-- Apply what nodes report: record, verify, apply, all in one transaction, so that an event is applied exactly as often as it is
-- recorded: once. p_events is a list of {node_id, event_id, job_id, lease_token, seq, type, at, …}, of one node or of many
-- (callbacks that are committed together). Answers each with applied, duplicate, stale (too late: changes nothing, kept for audit)
-- or invalid, in the order given. Events are fenced by token, never by epoch.
-- Locks lanes of finishing jobs, then jobs, then event keys, steps, gates, stripes, runs: each in key order.
create or replace function corral.fn_apply_node_events(p_events jsonb)
returns table (event_id text, outcome text, message text)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_events   judged_event[] := fn_read_events(p_events);
    v_types    text[];
    v_news     job_ended[] := '{}';
    v_changes  job_change[] := '{}';
    v_effects  job_effects;
begin
    perform fn_lock_lanes(array(
        select j.device_id from jobs j
         where j.job_id = any (array(select e.job_id from unnest(v_events) e where e.type = 'job_finished' and e.outcome is null))
           and j.device_id is not null));
    perform fn_lock_jobs(array(
        select e.job_id from unnest(v_events) e
         where e.outcome is null and e.type in ('job_started', 'step_started', 'step_finished', 'job_finished')));
    perform fn_lock_late_steps(array_agg(e.job_id), array_agg(e.body ->> 'step'), array_agg(e.lease_token))
       from unnest(v_events) e join jobs j on j.job_id = e.job_id and j.mode = 'distributed'
      where e.outcome is null and e.type in ('step_started', 'step_finished')
     having count(*) > 0;
    v_events := fn_record_events(fn_judge_events(v_events));

    v_types := array(select distinct e.type from unnest(v_events) e where e.outcome = 'applied');
    if v_types && '{job_started,step_started,step_finished,job_finished}' then
        v_news := fn_apply_job_progress(v_events);
    end if;
    if v_types && '{step_started,step_finished}' or exists (select 1 from unnest(v_events) e where e.body ? 'steps') then
        perform fn_apply_steps(v_events);
    end if;
    if v_types && '{log,artifact_created}' then
        perform fn_apply_evidence(v_events);
        v_news := v_news || fn_list_evidence(v_events);
    end if;
    if v_types && '{scan_progress,scan_finished}' then
        perform fn_apply_scans(v_events);
    end if;
    if v_types && '{step_started,step_finished}' then
        v_effects := fn_apply_step_leases(v_events);
        v_changes := v_effects.changes;
        v_news := v_news || v_effects.news;
    end if;
    if v_types && '{job_finished}' then
        v_changes := v_changes || fn_read_endings(v_events);
    end if;
    perform fn_conclude_jobs(v_changes, v_news);
    return query
        select coalesce(e.event_id::text, e.body ->> 'event_id'), e.outcome, e.message
          from unnest(v_events) e order by e.ord;
end $$;
