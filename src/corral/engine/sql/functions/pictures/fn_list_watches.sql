-- The devices of a node whose screens somebody looks at now, and for how long: what a pull carries to it. A contested device is
-- nobody's to touch until it is clear whose it is. Reads the few watches that there are, and their devices by key.
create or replace function corral.fn_list_watches(p_node_id text)
returns table (device_id uuid, serial text, for_s double precision)
language sql stable
set search_path = corral, pg_catalog
as $$
    select w.device_id, d.serial, extract(epoch from w.watch_until - fn_now())::double precision
      from device_watches w join devices d on d.device_id = w.device_id
     where w.watch_until > fn_now() and d.node_id = p_node_id and d.contested_node_id is null
     order by w.device_id
$$;
