-- The phones of a node that a step could use now, with the capabilities that each of them gives its node: phone, phone:<tag> for each of its
-- tags, phone:<label>. p_serials null: all that are connected and healthy. Called for claims, and by fn_is_served. Locks nothing.
create or replace function corral.fn_list_phones(p_node_id text, p_serials text[])
returns table (serial text, index_no integer, label text, model text, os_version text, tags text[], capabilities text[])
language sql stable rows 20
set search_path = corral, pg_catalog
as $$
    select d.serial, d.index_no, d.label, d.model, d.os_version, d.tags,
           array['phone'] || array(select 'phone:' || t from unnest(d.tags) t)
               || case when coalesce(d.label, '') <> '' then array['phone:' || d.label] else '{}' end
      from devices d
     where d.node_id = p_node_id and d.connection = 'connected' and d.health <> 'quarantined' and d.contested_node_id is null
       and (p_serials is null or d.serial = any (p_serials))
     order by d.index_no
$$;
