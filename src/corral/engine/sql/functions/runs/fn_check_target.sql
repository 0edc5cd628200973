-- Refuse a target that names something unknown, naming it. A target is an object whose conditions all hold: all, nodes, indexes
-- (a list of numbers and [from, to] pairs), serials, labels, device_ids, tags, retry_of with statuses, replay_of; or any: n with tags, a
-- pool.
-- Raises CR002 invalid_request with the path.
create or replace function corral.fn_check_target(p_target jsonb) returns void
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_key    text;
    v_value  jsonb;
    v_item   jsonb;
    v_place  bigint;
begin
    if jsonb_typeof(p_target) <> 'object' or p_target = '{}' then
        raise exception 'target must say all, nodes, indexes, serials, labels, device_ids, tags, retry_of, replay_of or any'
              using errcode = 'CR002', detail = 'target';
    end if;
    for v_key, v_value in select t.key, t.value from jsonb_each(p_target) t order by t.key loop
        if v_key = 'all' and v_value = 'true' then
            continue;
        elsif v_key = 'any' and fn_whole_number(v_value) between 1 and 1000000 then
            if (p_target - 'any' - 'tags') <> '{}' then
                raise exception 'any goes with tags and nothing else' using errcode = 'CR002', detail = 'target.any';
            end if;
            continue;
        elsif v_key in ('retry_of', 'replay_of') and jsonb_typeof(v_value) = 'string' then
            if not exists (select 1 from runs r where r.run_id = fn_try_uuid(v_value #>> '{}')) then
                raise exception 'no run %', v_value #>> '{}' using errcode = 'CR002', detail = 'target.' || v_key;
            end if;
            continue;
        elsif v_key not in ('nodes', 'indexes', 'serials', 'labels', 'device_ids', 'tags', 'statuses') then
            raise exception 'target % has a value or a name that is not understood', v_key
                  using errcode = 'CR002', detail = 'target.' || v_key;
        elsif jsonb_typeof(v_value) <> 'array' or v_value = '[]' then
            raise exception 'target.% must be a list that is not empty', v_key using errcode = 'CR002', detail = 'target.' || v_key;
        end if;

        select e.item, e.place into v_item, v_place
          from jsonb_array_elements(v_value) with ordinality as e (item, place)
         where not case v_key
               when 'nodes' then exists (select 1 from nodes n where n.node_id = e.item #>> '{}')
               when 'serials' then exists (select 1 from devices d where d.serial = e.item #>> '{}')
               when 'labels' then exists (select 1 from devices d where d.label = e.item #>> '{}')
               when 'device_ids' then exists (select 1 from devices d where d.device_id = fn_try_uuid(e.item #>> '{}'))
               when 'statuses' then e.item in ('"failed"', '"cancelled"', '"skipped_offline"', '"succeeded"')
               when 'indexes' then case jsonb_typeof(e.item)
                   when 'number' then exists (select 1 from devices d where d.index_no = fn_whole_number(e.item))
                   when 'array' then jsonb_array_length(e.item) = 2 and exists (
                        select 1 from devices d where d.index_no between fn_whole_number(e.item -> 0) and fn_whole_number(e.item -> 1))
                   else false end
               else jsonb_typeof(e.item) = 'string' end
         order by e.place
         limit 1;
        if found then
            raise exception 'target.% names something unknown: %', v_key, v_item
                  using errcode = 'CR002', detail = format('target.%s[%s]', v_key, v_place - 1);
        end if;
    end loop;
end $$;
