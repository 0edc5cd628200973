-- How a device was since p_since, oldest first, with the last sample before it at the head: what it was when the window began.
-- Reads by key.
create or replace function corral.fn_list_samples(p_device_id uuid, p_since timestamptz)
returns table (at timestamptz, battery integer, temperature real)
language sql stable
set search_path = corral, pg_catalog
as $$
    select s.at, s.battery, s.temperature
      from device_samples s
     where s.device_id = p_device_id
       and s.at >= coalesce((select max(o.at) from device_samples o where o.device_id = p_device_id and o.at <= p_since), p_since)
     order by s.at
$$;
