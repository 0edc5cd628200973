-- Ask nodes to rediscover their devices; an open scan of a node is joined, not doubled. No node named: all that are alive.
-- p_addresses are addresses and ranges to connect to. Returns one row per node. Raises CR102 unknown_node.
create or replace function corral.fn_request_scan(p_node_ids text[], p_addresses text[], p_actor text)
returns setof corral.scan_jobs
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now    timestamptz := fn_now();
    v_node   text;
    v_scan   scan_jobs;
begin
    for v_node in
        select coalesce(n.node_id, u.node_id)
          from unnest(p_node_ids) as u (node_id) left join nodes n using (node_id)
        union select n.node_id from nodes n where p_node_ids is null and n.lease_until >= v_now
        order by 1
    loop
        perform 1 from nodes n where n.node_id = v_node for no key update;
        if not found then
            raise exception 'node % is not registered', v_node using errcode = 'CR102', detail = 'node_ids';
        end if;
        select s.* into v_scan from scan_jobs s where s.node_id = v_node and s.finished_at is null limit 1;
        if not found then
            insert into scan_jobs (scan_id, node_id, addresses, requested_by, created_at)
            values (fn_uuid7(), v_node, coalesce(p_addresses, '{}'), p_actor, v_now)
            returning * into v_scan;
            perform fn_record_audit(p_actor, 'node.scan', v_node, jsonb_build_object('scan_id', v_scan.scan_id));
        end if;
        return next v_scan;
    end loop;
end $$;
