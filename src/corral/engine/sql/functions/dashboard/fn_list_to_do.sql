-- What needs somebody's attention, as a JSON list of {kind, count, message, link}; only what there is. Kinds: verdicts_suspended,
-- nodes_offline, devices_quarantined, devices_contested, runs_failed (since then, and nobody looked), leases_expiring (devices that
-- lost three or more leases since then), disks_full, steps_unclaimable (of distributed runs). Called by fn_get_dashboard. Each is one small index, the nodes or the disks.
create or replace function corral.fn_list_to_do(p_since timestamptz) returns json
language sql stable
set search_path = corral, pg_catalog
as $$
    with found (place, kind, count, one, many, link) as (
        select 1, 'verdicts_suspended', count(*),
               'Half of the nodes fell silent: nothing is skipped or expired until they are heard again', null, '/devices?online=false'
          from upkeep u where u.silence_since is not null
        union all
        select 2, 'nodes_offline', count(*), '%s node is offline', '%s nodes are offline', '/devices?online=false'
          from nodes n where n.lease_until < fn_now()
        union all
        select 3, 'devices_quarantined', count(*), '%s device is quarantined', '%s devices are quarantined', '/devices?health=quarantined'
          from devices d where d.health = 'quarantined'
        union all
        select 4, 'devices_contested', count(*), '%s device is claimed by two nodes', '%s devices are claimed by two nodes',
               '/devices?contested=true'
          from devices d where d.contested_node_id is not null
        union all
        select 5, 'runs_failed', count(*), '%s failed run was not looked at', '%s failed runs were not looked at',
               '/runs?status=failed&reviewed=false'
          from runs r
         where r.reviewed_at is null and r.status in ('failed', 'completed_with_errors') and r.finished_at >= p_since
           and r.source_type is distinct from 'session'
        union all
        select 6, 'leases_expiring', count(*), '%s device keeps losing its leases', '%s devices keep losing their leases',
               '/devices?losing_leases=true'
          from (select o.device_id from lost_leases o where o.at >= p_since group by o.device_id having count(*) >= 3) o
        union all
        select 7, 'disks_full', count(*), '%s disk is more than 90 %% full: ' || replace(min(d.place), '%', '%%'),
               '%s disks are more than 90 %% full, such as ' || replace(min(d.place), '%', '%%'), '/devices'
          from fn_list_full_disks() d
        union all
        select 8, 'steps_unclaimable', count(*), '%s step waits for a capability that no live node has',
               '%s steps wait for capabilities that no live node has', '/runs?status=going'
          from demands d join job_steps s on s.demand_id = d.demand_id and s.status = 'ready' and s.channel_id is null
         where d.unserved_since is not null
    )
    select coalesce(json_agg(json_build_object(
               'kind', f.kind, 'count', f.count, 'message', format(case f.count when 1 then f.one else f.many end, f.count),
               'link', f.link) order by f.place), '[]')
      from found f
     where f.count > 0
$$;
