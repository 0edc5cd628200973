-- Tell that devices have been taken out of service, and by whom: an operator's name or their node's. Called by what quarantines them.
create or replace function corral.fn_notify_quarantines(p_device_ids uuid[], p_by text) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    select fn_notify('device.quarantined', d.device_id::text, jsonb_build_object('device', jsonb_build_object(
               'device_id', d.device_id, 'index', d.index_no, 'serial', d.serial, 'label', d.label, 'model', d.model,
               'node_id', d.node_id, 'reason', d.health_reason, 'by', coalesce(p_by, 'anonymous'))))
      from devices d where d.device_id = any (p_device_ids) order by d.index_no
$$;
