-- Make lanes say what their devices say: which node they are on, and whether work may start there. A leased lane stays with
-- its node. Called after devices changed; the caller holds the lanes' locks where they can change.
create or replace function corral.fn_align_lanes(p_device_ids uuid[]) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    update lanes l
       set node_id = case when l.lease_token is null then d.node_id else l.node_id end,
           is_available = d.unavailable_since is null and d.contested_node_id is null
      from devices d
     where d.device_id = any (p_device_ids) and l.device_id = d.device_id
       and (l.is_available <> (d.unavailable_since is null and d.contested_node_id is null)
            or (l.lease_token is null and l.node_id <> d.node_id))
$$;
