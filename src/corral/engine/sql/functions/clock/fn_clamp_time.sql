-- A node's word on when something happened, kept within what the database knows: not before p_earliest, not after p_latest.
create or replace function corral.fn_clamp_time(p_at timestamptz, p_earliest timestamptz, p_latest timestamptz)
returns timestamptz
language sql immutable parallel safe
as $$ select least(greatest(coalesce(p_at, p_latest), coalesce(p_earliest, p_at, p_latest)), p_latest) $$;
