-- A text as a UUID, or null where it is none: never an error.
create or replace function corral.fn_try_uuid(p_text text) returns uuid
language sql immutable parallel safe
as $$
    select case when p_text ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then p_text::uuid end
$$;
