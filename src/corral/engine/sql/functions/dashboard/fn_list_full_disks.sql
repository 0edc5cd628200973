-- Whose file systems are more than 90 % full: servers' as upkeep saw them in the last ten minutes, and live nodes' as they said when they
-- registered (meta.disk {total_bytes, free_bytes}). Called by fn_list_to_do. Reads disks and nodes.
create or replace function corral.fn_list_full_disks() returns table (place text)
language sql stable
set search_path = corral, pg_catalog
as $$
    select format('%s on %s', d.path, d.host)
      from disks d
     where d.seen_at >= fn_now() - interval '10 minutes' and d.free_bytes < d.total_bytes * 0.1
    union all
    select format('node %s', n.node_id)
      from nodes n
     where n.lease_until >= fn_now()
       and jsonb_typeof(n.meta -> 'disk' -> 'total_bytes') = 'number' and jsonb_typeof(n.meta -> 'disk' -> 'free_bytes') = 'number'
       and (n.meta -> 'disk' ->> 'free_bytes')::numeric < (n.meta -> 'disk' ->> 'total_bytes')::numeric * 0.1
$$;
