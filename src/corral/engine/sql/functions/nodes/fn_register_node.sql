-- Register a node, or register it again after a start: bumps its epoch, so that the predecessor's heartbeats and pulls are refused.
-- Registering from the same state directory (p_state_id) proves that the predecessor is dead: its leases are requeued at once.
-- Without that proof they run until its lease would have, and so do those of yet earlier epochs, of which it proves nothing.
-- If the predecessor was draining at its own word, that is over; an operator's word stays.
-- Returns the epoch, the lease time and how many leases came back.
-- Locks the node, its lanes in key order, their jobs, gates, stripes, runs. Raises CR002 invalid_request.
create or replace function corral.fn_register_node(
    p_node_id text, p_name text, p_capabilities text[], p_labels jsonb, p_max_concurrency integer, p_lookahead integer,
    p_version text, p_meta jsonb, p_state_id text)
returns table (epoch integer, lease_s double precision, requeued integer)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now       timestamptz := fn_now();
    v_lease     interval := (select s.lease_time from settings s);
    v_former    nodes;
    v_epoch     integer;
    v_devices   uuid[];
    v_requeued  integer := 0;
begin
    if p_node_id is null or p_node_id !~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' then
        raise exception 'node_id must be 1 to 63 letters, digits, dots, dashes or underscores'
              using errcode = 'CR002', detail = 'node_id';
    end if;
    select n.* into v_former from nodes n where n.node_id = p_node_id for no key update;

    insert into nodes as n (node_id, name, capabilities, labels, max_concurrency, lookahead, epoch, state_id, lease_until,
                            version, meta, registered_at, last_heartbeat_at)
    values (p_node_id, coalesce(p_name, p_node_id), coalesce(p_capabilities, '{}'), coalesce(p_labels, '{}'),
            coalesce(p_max_concurrency, 20), coalesce(p_lookahead, 20), 1, p_state_id, v_now + v_lease, p_version,
            coalesce(p_meta, '{}'), v_now, v_now)
    on conflict (node_id) do update
       set name = excluded.name, capabilities = excluded.capabilities, labels = excluded.labels,
           max_concurrency = excluded.max_concurrency, lookahead = excluded.lookahead, epoch = n.epoch + 1,
           state_id = excluded.state_id, lease_until = excluded.lease_until,
           former_lease_until = greatest(n.former_lease_until, n.lease_until),
           version = excluded.version, meta = excluded.meta, registered_at = v_now, last_heartbeat_at = v_now,
           draining = coalesce(n.draining_by = 'operator', false),
           draining_by = nullif(n.draining_by, 'node'),
           draining_since = case when n.draining_by = 'operator' then n.draining_since end
    returning n.epoch into v_epoch;

    if v_former.state_id = p_state_id then
        v_devices := array(select l.device_id from lanes l where l.node_id = p_node_id and l.lease_token is not null
                              and l.lease_epoch = v_former.epoch);
        perform fn_record_lost_leases(v_devices, 'rebooted');
        v_requeued := fn_take_back_leases(
            v_devices,
            array(select s.lease_token from job_steps s
                   where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id
                     and s.lease_epoch = v_former.epoch),
            'rebooted');
    end if;
    return query select v_epoch, extract(epoch from v_lease)::double precision, v_requeued;
end $$;
