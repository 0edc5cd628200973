-- How long what a holder does to a screen may take to reach the node.
create or replace function corral.fn_input_patience() returns interval
language sql immutable
set search_path = corral, pg_catalog
as $$
    select interval '10 seconds'
$$;
