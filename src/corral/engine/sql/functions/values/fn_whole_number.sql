-- A JSON number as an integer, or null where it is none or does not fit: never an error.
create or replace function corral.fn_whole_number(p_value jsonb) returns integer
language sql immutable parallel safe
as $$
    select case when jsonb_typeof(p_value) = 'number' then
        case when p_value::numeric % 1 = 0 and abs(p_value::numeric) < 2147483647 then p_value::numeric::integer end end
$$;
