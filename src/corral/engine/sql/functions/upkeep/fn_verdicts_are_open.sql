-- May a verdict be passed now? Only while upkeep ticks, has ticked for a whole lease time, and most nodes are heard.
create or replace function corral.fn_verdicts_are_open() returns boolean
language sql stable
set search_path = corral, pg_catalog
as $$
    select coalesce(u.silence_since is null
                    and u.last_tick_at >= fn_now() - s.upkeep_gap
                    and u.verdicts_from <= fn_now() - s.lease_time, false)
      from upkeep u, settings s
$$;
