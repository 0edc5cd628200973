-- The dashboard over the last p_window, as docs/dashboard.md promises it: KPIs, one entry per hour, what needs somebody's attention,
-- and what the devices of each node do. Reads hourly statistics, partial indexes, nodes and devices: never jobs, however many there are.
-- Called by every dashboard that is open; a server may keep the answer for seconds. Locks nothing. Raises CR002 invalid_request.
create or replace function corral.fn_get_dashboard(p_window interval default '24 hours') returns json
language plpgsql stable
set search_path = corral, pg_catalog
set timezone = 'UTC'
as $$
declare
    v_now    timestamptz := fn_now();
    v_since  timestamptz := v_now - p_window;
    v_to_do  json;
    v_jobs   record;
    v_runs   record;
    v_nodes  record;
    v_farm   record;
begin
    if p_window is null or p_window < '1 hour' or p_window > '31 days' then
        raise exception 'window must be between one hour and 31 days' using errcode = 'CR002', detail = 'window';
    end if;
    v_to_do := fn_list_to_do(v_since);
    select * into v_jobs from fn_sum_durations(v_since);
    select count(*) as total, count(*) filter (where r.finished_at is null) as going,
           count(*) filter (where r.status = 'succeeded') as succeeded,
           count(*) filter (where r.status in ('failed', 'completed_with_errors')) as failed
      into v_runs from runs r where r.created_at >= v_since and r.source_type is distinct from 'session';
    select count(*) as total, count(*) filter (where n.lease_until >= v_now) as online into v_nodes from nodes n;
    select count(*) as total, count(*) filter (where d.connection = 'connected' and n.lease_until >= v_now) as online
      into v_farm from devices d join nodes n on n.node_id = d.node_id;

    return json_build_object(
        'window_s', extract(epoch from p_window)::bigint,
        'kpis', json_build_object(
            'runs', v_runs.total, 'runs_going', v_runs.going, 'runs_succeeded', v_runs.succeeded, 'runs_failed', v_runs.failed,
            'device_jobs', v_jobs.ended, 'success_rate', v_jobs.success_rate,
            'median_duration_s', v_jobs.median_s, 'p95_duration_s', v_jobs.p95_s,
            'devices_online', v_farm.online, 'devices_offline', v_farm.total - v_farm.online,
            'nodes_online', v_nodes.online, 'nodes_offline', v_nodes.total - v_nodes.online,
            'needs_attention', (select coalesce(sum((t.item ->> 'count')::bigint), 0) from json_array_elements(v_to_do) as t (item))),
        'hours', fn_list_hours(v_since),
        'to_do', v_to_do,
        'heatmap', fn_list_node_tiles(100),
        'server_time', v_now);
end $$;
