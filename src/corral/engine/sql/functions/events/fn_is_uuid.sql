-- Whether a text is a UUID as everybody writes one: the same as one regular expression with counts in it, which is slow to match.
-- Inlined, hence no search_path of its own.
create or replace function corral.fn_is_uuid(p_text text) returns boolean
language sql immutable parallel safe
as $$
    select p_text like '________-____-____-____-____________' and length(replace(p_text, '-', '')) = 32
           and p_text ~ '^[0-9a-fA-F-]*$'
$$;
