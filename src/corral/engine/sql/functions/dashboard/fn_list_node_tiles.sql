-- What the devices of each node do now, as a JSON list, nodes in trouble first, at most p_limit nodes: {node_id, name, online, draining,
-- counts, items: [{index, activity}]}. Activities: running, waiting (for a turn), idle, quarantined, offline.
-- Called by fn_get_dashboard. Reads the devices of the nodes shown, with their lanes and the jobs that those have leased.
create or replace function corral.fn_list_node_tiles(p_limit integer) returns json
language sql stable
set search_path = corral, pg_catalog
as $$
    with shown as materialized (
        select n.node_id, n.name, n.draining, n.lease_until >= fn_now() as online
          from nodes n order by n.lease_until >= fn_now(), n.node_id limit coalesce(p_limit, 100)
    ), tiles as (
        select s.node_id, d.index_no, d.activity from shown s join device_states d on d.node_id = s.node_id
    ), grouped as (
        select t.node_id, count(*) as total, count(*) filter (where t.activity = 'running') as running,
               count(*) filter (where t.activity = 'waiting') as waiting, count(*) filter (where t.activity = 'idle') as idle,
               count(*) filter (where t.activity = 'quarantined') as quarantined,
               count(*) filter (where t.activity = 'offline') as offline,
               string_agg(format('{"index":%s,"activity":"%s"}', t.index_no, t.activity), ',' order by t.index_no) as items
          from tiles t group by t.node_id
    )
    select coalesce(json_agg(json_build_object(
               'node_id', s.node_id, 'name', s.name, 'online', s.online, 'draining', s.draining,
               'counts', json_build_object('total', coalesce(g.total, 0), 'running', coalesce(g.running, 0),
                                            'waiting', coalesce(g.waiting, 0), 'idle', coalesce(g.idle, 0),
                                            'quarantined', coalesce(g.quarantined, 0), 'offline', coalesce(g.offline, 0)),
               'items', format('[%s]', g.items)::json) order by s.online, s.node_id), '[]')
      from shown s left join grouped g on g.node_id = s.node_id
$$;
