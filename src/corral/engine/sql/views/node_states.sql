-- Nodes as people see them: online while their lease runs.
create or replace view corral.node_states as
select n.node_id, n.name, n.capabilities, n.labels, n.max_concurrency, n.lookahead, n.epoch, n.lease_until, n.version, n.meta,
       n.draining, n.registered_at, n.last_heartbeat_at, n.lease_until >= corral.fn_now() as online
  from corral.nodes n;
