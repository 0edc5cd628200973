-- Of steps that a node could do, in claim order, those that find a phone among its idle ones, or need none; and the phones that are left. Each
-- step takes, of the phones that have all that it requires, the one with the fewest capabilities: others may need the rest.
-- Called by fn_claim_with_phones, which locked the steps.
create or replace function corral.fn_fit_phones(
    p_node corral.nodes, p_phones text[], p_places tid[], out places tid[], out phones_left text[])
language plpgsql stable
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off
as $$
declare
    v_serials  text[];
    v_offers   text[];
    v_step     record;
    v_phone    text;
begin
    places := '{}';
    phones_left := p_phones;
    select array_agg(p.serial order by cardinality(p.capabilities), p.index_no),
           array_agg(p.capabilities::text order by cardinality(p.capabilities), p.index_no)
      into v_serials, v_offers
      from fn_list_phones(p_node.node_id, p_phones) p;
    for v_step in
        select u.place, d.requires
          from unnest(p_places) with ordinality as u (place, number)
          join job_steps s on s.ctid = u.place
          join demands d on d.demand_id = s.demand_id
         order by u.number
    loop
        if not v_step.requires <@ p_node.capabilities then
            select o.serial into v_phone
              from unnest(v_serials, v_offers) with ordinality as o (serial, capabilities, number)
             where o.serial = any (phones_left) and v_step.requires <@ (p_node.capabilities || o.capabilities::text[])
             order by o.number
             limit 1;
            continue when not found;
            phones_left := array_remove(phones_left, v_phone);
        end if;
        places := places || v_step.place;
    end loop;
end $$;
