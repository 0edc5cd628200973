-- Whether a report of a device makes sense: it has a serial that can be one, and a connection and a health that are known.
create or replace function corral.fn_is_sound_device(p_body jsonb) returns boolean
language sql immutable parallel safe
as $$
    select coalesce(jsonb_typeof(p_body) = 'object'
                    and p_body ->> 'serial' ~ '^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$'
                    and coalesce(p_body ->> 'connection', 'connected')
                        in ('connected', 'offline', 'unauthorized', 'not_booted', 'gone')
                    and coalesce(p_body ->> 'health', 'ok') in ('ok', 'suspect', 'quarantined')
                    and coalesce(jsonb_typeof(p_body -> 'is_node_scoped'), 'boolean') = 'boolean', false)
$$;
