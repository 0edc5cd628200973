-- The value if it is one of the known ones, null otherwise.
create or replace function corral.fn_one_of(p_value text, p_known text[]) returns text
language sql immutable parallel safe
as $$ select case when p_value = any (p_known) then p_value end $$;
