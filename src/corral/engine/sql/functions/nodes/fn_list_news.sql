-- Of the nodes given, those with something to hear in a pull: work that they could be granted now, tokens whose work should stop,
-- devices whose screens somebody looks at, and how far the inputs of each of its sessions go ({lease_token: seq}),
-- and tunnels whose other end it is to open.
-- Asked once a second by every server for all pulls that wait at it, so that none depends on a notification. Locks nothing;
-- may see work that a pull then does not get (a full gate that another node filled first), never the other way round for long.
create or replace function corral.fn_list_news(p_node_ids text[])
returns table (node_id text, has_work boolean, cancel uuid[], watch uuid[], inputs jsonb, tunnels uuid[])
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    with pool as (
        select exists (select 1 from jobs j where j.is_waiting and j.device_id is null) as is_waiting
    ), stopping as materialized (  -- of all nodes at once: asking fn_list_cancels for each costs more than all the rest
        select s.lease_owner, array_agg(s.lease_token) as tokens
          from job_steps s
          join jobs j on j.job_id = s.job_id
          join runs r on r.run_id = j.run_id
         where s.status = 'running' and s.lease_token is not null and s.lease_owner = any (p_node_ids)
           and r.cancel_requested_at is not null
         group by 1
    ), asked as (
        select n.node_id, n.draining, n.max_concurrency + n.lookahead as room, l.held, l.waiting, l.idle,
               coalesce(l.cancel, '{}') || coalesce(o.tokens, '{}') as cancel,
               case when w.is_any then array(select e.device_id from fn_list_watches(n.node_id) e) else '{}' end as watch,
               case when i.is_any
                    then (select jsonb_object_agg(e.lease_token, e.seq)
                            from (select u.lease_token, max(u.seq) as seq from fn_list_device_inputs(n.node_id) u group by 1) e) end as inputs,
               case when t.is_any then array(select e.tunnel_id from fn_list_tunnels(n.node_id) e) else '{}' end as tunnels
          from nodes n
         cross join (select exists (select 1 from session_inputs) as is_any) i
         cross join (select exists (select 1 from device_watches) as is_any) w
         cross join (select exists (select 1 from tunnels u where u.joined_at is null) as is_any) t
         cross join lateral (
               select count(*) filter (where k.lease_token is not null) as held,
                      count(*) filter (where k.ticket is not null and k.is_available
                                         and (k.gate_run_id is null or g.in_flight < g.cap)) as waiting,
                      count(*) filter (where k.job_id is null and k.is_available) as idle,
                      array_agg(k.lease_token) filter (where k.cancel_requested and k.lease_token is not null) as cancel
                 from lanes k left join run_gates g on g.run_id = k.gate_run_id
                where k.node_id = n.node_id) l
          left join stopping o on o.lease_owner = n.node_id
         where n.node_id = any (p_node_ids)
    )
    select a.node_id, a.work, a.cancel, a.watch, coalesce(a.inputs, '{}'), a.tunnels
      from (select k.node_id, k.cancel, k.watch, k.inputs, k.tunnels,
                   not k.draining and k.held < k.room and (k.waiting > 0 or (p.is_waiting and k.idle > 0)) as work
              from asked k, pool p) a
     where a.work or a.cancel <> '{}' or a.watch <> '{}' or a.inputs is not null or a.tunnels <> '{}'
$$;
