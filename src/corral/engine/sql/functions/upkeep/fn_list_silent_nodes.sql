-- Nodes whose leases are to be taken back: silent for a whole lease time, or with leases of earlier epochs whose time is over.
-- Called by upkeep; none while verdicts may not be passed.
create or replace function corral.fn_list_silent_nodes() returns setof text
language sql stable
set search_path = corral, pg_catalog
as $$
    select n.node_id
      from nodes n
     where ((n.lease_until < fn_now() and (n.expired_at is null or n.expired_at <= n.lease_until))
            or n.former_lease_until < fn_now())
       and fn_verdicts_are_open()
     order by n.node_id
$$;
