-- Take back the leases of a node that has been silent for a whole lease time, or those of its earlier epochs whose time is over.
-- The jobs keep their tokens: a result that was achieved and arrives late still counts until the job is granted again (rule 2).
-- Called by upkeep for each of fn_list_silent_nodes: one node a transaction, so that locks are taken in order and one node's trouble
-- is not another's. Locks the node (not waiting for it: it would be speaking), then lanes, jobs and so on.
-- That a node fell silent is told to webhooks, once. Returns how many leases it lost.
create or replace function corral.fn_expire_leases(p_node_id text) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_node     nodes;
    v_silent   boolean;
    v_devices  uuid[];
    v_expired  integer;
begin
    select n.* into v_node
      from nodes n
     where n.node_id = p_node_id and fn_verdicts_are_open()
       and ((n.lease_until < v_now and (n.expired_at is null or n.expired_at <= n.lease_until))
            or n.former_lease_until < v_now)
       for no key update skip locked;
    if v_node.node_id is null then
        return 0;
    end if;
    v_silent := v_node.lease_until < v_now;
    v_devices := array(select l.device_id from lanes l
                        where l.node_id = p_node_id and l.lease_token is not null
                          and (v_silent or l.lease_epoch < v_node.epoch));
    perform fn_record_lost_leases(v_devices, 'expired');
    v_expired := fn_take_back_leases(
        v_devices,
        array(select s.lease_token from job_steps s
               where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id
                 and (v_silent or s.lease_epoch < v_node.epoch)),
        'expired');
    update nodes n
       set expired_at = case when v_silent then v_now else n.expired_at end,
           former_lease_until = case when n.former_lease_until < v_now then null else n.former_lease_until end
     where n.node_id = p_node_id;
    if v_silent then
        perform fn_notify_offline(v_node);
    end if;
    return v_expired;
end $$;
