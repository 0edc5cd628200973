-- Take back the leases of one node that has been silent for a whole lease time, or those of its earlier epochs whose time is over.
-- The jobs keep their tokens: a result that was achieved and arrives late still counts until the job is granted again (rule 2).
-- Called by upkeep until it returns null: one node a transaction, so that locks are taken in order. Locks the node (skipping
-- locked ones: they are speaking), then lanes, jobs and so on. Returns the node and how many leases it lost.
create or replace function corral.fn_expire_leases()
returns table (node_id text, expired integer)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now      timestamptz := fn_now();
    v_node     nodes;
    v_silent   boolean;
    v_devices  uuid[];
    v_expired  integer;
begin
    if not fn_verdicts_are_open() then
        return;
    end if;
    select n.* into v_node
      from nodes n
     where (n.lease_until < v_now and (n.expired_at is null or n.expired_at <= n.lease_until))
        or n.former_lease_until < v_now
     order by n.node_id
     limit 1
       for no key update skip locked;
    if v_node.node_id is null then
        return;
    end if;
    v_silent := v_node.lease_until < v_now;
    v_devices := array(select l.device_id from lanes l
                        where l.node_id = v_node.node_id and l.lease_token is not null
                          and (v_silent or l.lease_epoch < v_node.epoch));
    perform fn_record_lost_leases(v_devices, 'expired');
    v_expired := fn_take_back_leases(
        v_devices,
        array(select s.lease_token from job_steps s
               where s.status = 'running' and s.lease_token is not null and s.lease_owner = v_node.node_id
                 and (v_silent or s.lease_epoch < v_node.epoch)),
        'expired');
    update nodes n
       set expired_at = case when v_silent then v_now else n.expired_at end,
           former_lease_until = case when n.former_lease_until < v_now then null else n.former_lease_until end
     where n.node_id = v_node.node_id;
    return query select v_node.node_id, v_expired;
end $$;
