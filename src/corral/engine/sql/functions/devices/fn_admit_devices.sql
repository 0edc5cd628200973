-- Give every serial that was never seen before an index_no and a lane. Called by fn_report_devices.
-- Index numbers are given out under an advisory lock: no gaps, no duplicates, whichever nodes report at once.
create or replace function corral.fn_admit_devices(p_node_id text, p_devices jsonb) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now   timestamptz := fn_now();
    v_last  integer;
begin
    if not exists (
        select 1 from jsonb_array_elements(p_devices) as r (body)
         where not exists (select 1 from devices d
                            where d.serial = r.body ->> 'serial'
                              and d.serial_scope = case when (r.body ->> 'is_node_scoped')::boolean then p_node_id else '' end)) then
        return;
    end if;
    perform pg_advisory_xact_lock(hashtext('corral.devices.index_no'));
    select coalesce(max(d.index_no), 0) into v_last from devices d;

    with fresh as (
        select distinct on (r.serial, r.scope) r.serial, r.scope, r.body, r.place
          from (select e.body ->> 'serial' as serial, e.body, e.place,
                       case when (e.body ->> 'is_node_scoped')::boolean then p_node_id else '' end as scope
                  from jsonb_array_elements(p_devices) with ordinality as e (body, place)) r
         where not exists (select 1 from devices d where d.serial = r.serial and d.serial_scope = r.scope)
         order by r.serial, r.scope, r.place
    ), admitted as (
        insert into devices (device_id, node_id, serial, serial_scope, index_no, tags, first_seen_at, changed_at)
        select fn_uuid7(), p_node_id, f.serial, f.scope, v_last + row_number() over (order by f.place),
               case when jsonb_typeof(f.body -> 'tags') = 'array' then array(select jsonb_array_elements_text(f.body -> 'tags')) else '{}' end, v_now, v_now
          from fresh f
        returning device_id
    )
    insert into lanes (device_id, node_id, is_available) select a.device_id, p_node_id, true from admitted a;
end $$;
