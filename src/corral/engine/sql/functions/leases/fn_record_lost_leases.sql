-- Remember which devices are about to lose their lease to their node's silence or reboot, so that the dashboard can name those to which
-- it keeps happening; forget what is over 30 days old. Called by fn_expire_leases and fn_register_node before they take the leases back.
create or replace function corral.fn_record_lost_leases(p_device_ids uuid[], p_ending text) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    delete from lost_leases o where o.at < fn_now() - interval '30 days';
    insert into lost_leases (device_id, node_id, ending, at)
    select l.device_id, l.node_id, p_ending, fn_now() from lanes l where l.device_id = any (p_device_ids);
$$;
