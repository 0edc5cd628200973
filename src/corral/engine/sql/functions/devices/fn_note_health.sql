-- Write down how devices are, where that differs from what was last written: battery and temperature at most once in
-- settings.sample_every, so that a value which goes to and fro costs no row a heartbeat; a change of health always, and of its
-- reason where a person gave it (a node's has numbers in it).
-- Called by whatever changes devices, last, under their locks: one row per device is read of each table, by key.
-- p_changed_by is the operator, or node:<id>.
create or replace function corral.fn_note_health(p_device_ids uuid[], p_changed_by text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now  timestamptz := fn_now();
begin
    insert into device_samples (device_id, at, battery, temperature)
    select d.device_id, v_now, d.battery, d.temperature
      from devices d
      left join lateral (select s.at, s.battery, s.temperature from device_samples s
                          where s.device_id = d.device_id order by s.at desc limit 1) l on true
     where d.device_id = any (p_device_ids)
       and num_nonnulls(d.battery, d.temperature) > 0
       and (l.at is null or (l.at <= v_now - (select s.sample_every from settings s)
                             and (l.battery, l.temperature) is distinct from (d.battery, d.temperature)))
        on conflict do nothing;

    -- Two changes at one instant, as a test's clock allows, are one: the later.
    insert into health_changes as c (device_id, at, health, reason, changed_by)
    select d.device_id, v_now, d.health, d.health_reason, p_changed_by
      from devices d
      left join lateral (select h.health, h.reason from health_changes h
                          where h.device_id = d.device_id order by h.at desc limit 1) l on true
     where d.device_id = any (p_device_ids) 
       and (d.health <> coalesce(l.health, 'ok') or (d.health_by = 'operator' and d.health_reason is distinct from l.reason))
        on conflict (device_id, at) do update set health = excluded.health, reason = excluded.reason, changed_by = excluded.changed_by;
end $$;
