-- Take in what a node says of its devices. A serial seen for the first time gets the next index_no and a lane; a known one keeps
-- its index through unplugging and through a move. A device reported by another node moves there, unless its lane is leased:
-- then it is contested, and upkeep moves it once the lease ended (rule 11). With p_is_complete, devices of this node that are
-- not listed are gone. Each device is {serial, …}; an absent field stays as it was.
-- Locks the node, then the lanes in key order, then devices. Raises CR101, CR102, CR002 with the offending path.
create or replace function corral.fn_report_devices(p_node_id text, p_epoch integer, p_devices jsonb, p_is_complete boolean)
returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_changed  uuid[];
    v_moving   uuid[];
    v_bad      bigint;
    v_quarantined  uuid[];
begin
    perform fn_renew_node_lease(p_node_id, p_epoch);
    select min(r.place) into v_bad
      from jsonb_array_elements(p_devices) with ordinality as r (body, place) where not fn_is_sound_device(r.body);
    if v_bad is not null then
        raise exception 'device needs a serial, and a known connection and health: %', p_devices -> (v_bad::integer - 1)
              using errcode = 'CR002', detail = format('devices[%s]', v_bad - 1);
    end if;

    perform fn_admit_devices(p_node_id, p_devices);
    v_moving := fn_list_moving_devices(p_node_id, p_devices, p_is_complete);
    perform fn_lock_lanes(v_moving);
    -- What others change meanwhile must be seen by the statements that follow, not overwritten by them.
    perform 1
       from devices d
      where d.device_id = any (v_moving || array(
                select k.device_id
                  from jsonb_array_elements(p_devices) as r (body)
                  join devices k on k.serial = r.body ->> 'serial'
                   and k.serial_scope = case when (r.body ->> 'is_node_scoped')::boolean then p_node_id else '' end))
      order by d.device_id
        for no key update;

    update devices d
       set contested_node_id = null, contested_connection = null
      from jsonb_array_elements(p_devices) as r (body)
     where d.serial = r.body ->> 'serial' and d.serial_scope = '' and d.contested_node_id = p_node_id
       and r.body ->> 'connection' in ('gone', 'offline');

    with told as (
        select distinct on (d.device_id) d.device_id, r.body
          from jsonb_array_elements(p_devices) with ordinality as r (body, place)
          join devices d on d.serial = r.body ->> 'serial'
           and d.serial_scope = case when (r.body ->> 'is_node_scoped')::boolean then p_node_id else '' end
         order by d.device_id, r.place desc
    ), missing as (
        select d.device_id, jsonb_build_object('connection', 'gone') as body
          from devices d
         where p_is_complete and d.node_id = p_node_id and d.connection <> 'gone'
           and not exists (select 1 from told t where t.device_id = d.device_id)
    ), wanted as (
        select t.device_id, t.body,
               d.node_id <> p_node_id as is_foreign,
               d.node_id <> p_node_id and l.lease_token is not null as is_contested,
               d.health as former_health,
               coalesce(t.body ->> 'connection', case when d.node_id = p_node_id then d.connection else 'connected' end) as connection,
               case when d.health_by = 'operator' and d.health = 'quarantined' then d.health
                    else coalesce(t.body ->> 'health', d.health) end as health
          from (select * from told union all select * from missing) t
          join devices d on d.device_id = t.device_id
          join lanes l on l.device_id = t.device_id
         -- A node's word on a device that is another's counts only where it sees the device, and where its lane is locked.
         where d.node_id = p_node_id
            or (d.device_id = any (v_moving) and coalesce(t.body ->> 'connection', 'connected') not in ('gone', 'offline'))
    ), changed as (
        update devices d
           set node_id = case when w.is_contested then d.node_id else p_node_id end,
               contested_node_id = case when w.is_contested then p_node_id
                                        when w.is_foreign then null
                                        else d.contested_node_id end,
               contested_connection = case when w.is_contested then w.connection when w.is_foreign then null else d.contested_connection end,
               connection = case when w.is_contested then d.connection else w.connection end,
               health = w.health,
               health_by = case when w.health = d.health then d.health_by else 'node' end,
               health_reason = case when w.health = 'ok' then null
                                    when d.health_by = 'operator' and d.health = 'quarantined' then d.health_reason
                                    else coalesce(w.body ->> 'health_reason', d.health_reason) end,
               unavailable_since = case
                   when w.health <> 'quarantined'
                        and (case when w.is_contested then d.connection else w.connection end) = 'connected' then null
                   else coalesce(d.unavailable_since, v_now) end,
               runtime_handle = case when w.is_contested then d.runtime_handle else coalesce(w.body ->> 'runtime_handle', d.runtime_handle) end,
               label = coalesce(d.label, w.body ->> 'label'),
               model = coalesce(w.body ->> 'model', d.model),
               os_version = coalesce(w.body ->> 'os_version', d.os_version),
               battery = coalesce(case when w.body ->> 'battery' ~ '^\d{1,3}$' then least((w.body ->> 'battery')::integer, 100) end, d.battery),
               temperature = coalesce(case when jsonb_typeof(w.body -> 'temperature') = 'number'
                                           then least(greatest((w.body ->> 'temperature')::numeric, -99), 999)::real end, d.temperature),
               meta = case when jsonb_typeof(w.body -> 'meta') = 'object' then d.meta || (w.body -> 'meta') else d.meta end,
               last_error_message = coalesce(w.body ->> 'last_error_message', d.last_error_message),
               changed_at = v_now
          from wanted w
         where d.device_id = w.device_id
        returning d.device_id, d.health = 'quarantined' and w.former_health <> 'quarantined' as is_quarantined
    )
    select array_agg(c.device_id), array_agg(c.device_id) filter (where c.is_quarantined) into v_changed, v_quarantined from changed c;

    perform fn_align_lanes(v_moving);
    perform fn_note_health(v_changed, 'node:' || p_node_id);
    if v_quarantined is not null then
        perform fn_notify_quarantines(v_quarantined, p_node_id);
    end if;
    return coalesce(cardinality(v_changed), 0);
end $$;
