-- Upkeep's tick: decides whether verdicts (expiry, offline, skip, deadline) may be passed now (rule of trouble 1).
-- They may once ticks have followed one another for a whole lease time; a gap in the ticks starts that time anew. When half of
-- the nodes fall silent within one lease time, verdicts stop until most of them are back, or the silence has lasted for
-- silence_limit; that silence is told to webhooks. Called every second by the one upkeep leader. Locks the upkeep row.
create or replace function corral.fn_tick_upkeep()
returns table (verdicts_open boolean, silence_since timestamptz, silent_nodes integer)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now      timestamptz := fn_now();
    v_upkeep   upkeep;
    v_setting  settings := (select s from settings s);
    v_since    timestamptz;
    v_silent   integer;
    v_alive    integer;
begin
    select u.* into v_upkeep from upkeep u for no key update;
    v_since := coalesce(v_upkeep.silence_since, v_now);
    -- A node counts as silent from half of its lease time on: leases lapse one by one, and the first must not be judged
    -- before it is plain that it is one of many.
    select count(*) filter (where n.lease_until < v_now + v_setting.lease_time / 2
                              and n.lease_until >= v_since - v_setting.lease_time),
           count(*) filter (where n.lease_until >= v_now + v_setting.lease_time / 2)
      into v_silent, v_alive
      from nodes n;

    if v_silent < v_setting.silence_minimum or v_silent < v_alive
       or v_since < v_now - v_setting.silence_limit then
        v_since := null;
    end if;
    -- Told once it has lasted: after a restart of the server, all nodes are silent for a moment.
    if v_since <= v_now - v_setting.lease_time and coalesce(v_upkeep.silence_told_at < v_since, true) then
        perform fn_notify('nodes.silent', 'nodes', jsonb_build_object('nodes', jsonb_build_object(
            'silent', v_silent, 'heard', v_alive, 'since', v_since)));
        update upkeep u set silence_told_at = v_now;
    end if;
    update upkeep u
       set last_tick_at = v_now,
           silence_since = v_since,
           verdicts_from = case
               when u.last_tick_at is null or v_now - u.last_tick_at > v_setting.upkeep_gap then v_now
               when u.verdicts_from > v_now then v_now  -- the clock went back
               when u.silence_since is not null and v_since is null and v_silent < v_alive then v_now
               else u.verdicts_from end;
    return query select fn_verdicts_are_open(), v_since, v_silent;
end $$;
