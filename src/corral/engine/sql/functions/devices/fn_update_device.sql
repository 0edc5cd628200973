-- Change what a person may change of a device: label, tags, index_no, quarantine with a reason or release from it. Null leaves a
-- field as it is. Asking for another device's index_no swaps the two. Locks the numbers, the lane, then the devices in key order.
-- Raises CR001 not_found, CR002 invalid_request.
create or replace function corral.fn_update_device(
    p_device_id uuid, p_label text, p_tags text[], p_index_no integer, p_health text, p_health_reason text, p_actor text)
returns corral.devices
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now     timestamptz := fn_now();
    v_device  devices;
    v_health  text;
    v_other   uuid;
begin
    if p_health is not null and p_health not in ('ok', 'quarantined') then
        raise exception 'health is set to ok or quarantined, not %', p_health using errcode = 'CR002', detail = 'health';
    elsif p_health = 'quarantined' and coalesce(p_health_reason, '') = '' then
        raise exception 'a quarantine needs a reason' using errcode = 'CR002', detail = 'health_reason';
    elsif p_index_no <= 0 then
        raise exception 'index_no must be positive' using errcode = 'CR002', detail = 'index_no';
    end if;
    if p_index_no is not null then
        perform pg_advisory_xact_lock(hashtext('corral.devices.index_no'));
    end if;
    perform fn_lock_lanes(array[p_device_id]);
    perform 1 from devices d where d.device_id = p_device_id or d.index_no = p_index_no order by d.device_id for no key update;
    select d.* into v_device from devices d where d.device_id = p_device_id;
    if v_device.device_id is null then
        raise exception 'no device %', p_device_id using errcode = 'CR001', detail = 'device_id';
    end if;
    v_health := v_device.health;

    if p_index_no is not null and p_index_no <> v_device.index_no then
        set constraints corral.devices_index_is_unique deferred;
        select d.device_id into v_other from devices d where d.index_no = p_index_no;
        update devices d set index_no = v_device.index_no, changed_at = v_now where d.device_id = v_other;
        update devices d set index_no = p_index_no where d.device_id = p_device_id;
        set constraints corral.devices_index_is_unique immediate;
    end if;
    update devices d
       set label = coalesce(p_label, d.label),
           tags = coalesce(p_tags, d.tags),
           health = coalesce(p_health, d.health),
           health_by = case when p_health is null then d.health_by else 'operator' end,
           health_reason = case when p_health = 'ok' then null when p_health = 'quarantined' then p_health_reason
                                else d.health_reason end,
           unavailable_since = case when coalesce(p_health, d.health) <> 'quarantined' and d.connection = 'connected' then null
                                    else coalesce(d.unavailable_since, v_now) end,
           changed_at = v_now
     where d.device_id = p_device_id
    returning d.* into v_device;
    perform fn_align_lanes(array[p_device_id]);
    perform fn_note_health(array[p_device_id], coalesce(p_actor, 'anonymous'));
    if v_device.health = 'quarantined' and v_health <> 'quarantined' then
        perform fn_notify_quarantines(array[p_device_id], p_actor);
    end if;
    perform fn_record_audit(p_actor, 'device.update', p_device_id::text, jsonb_strip_nulls(jsonb_build_object(
        'label', p_label, 'tags', p_tags, 'index_no', p_index_no, 'health', p_health, 'reason', p_health_reason)));
    return v_device;
end $$;
