-- Is a live node capable of a step that requires this? What begins with phone is a phone's, wherever one is connected and healthy.
create or replace function corral.fn_is_served(p_requires text[]) returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$
    select exists (
        select 1 from nodes n
         where n.lease_until >= fn_now() and not n.draining
           and n.capabilities @> array(select u from unnest(p_requires) u where u <> 'phone' and u not like 'phone:%')
           and (not exists (select 1 from unnest(p_requires) u where u = 'phone' or u like 'phone:%')
                or exists (select 1 from fn_list_phones(n.node_id, null) p
                            where p.capabilities @> array(select u from unnest(p_requires) u where u = 'phone' or u like 'phone:%'))))
$$;
