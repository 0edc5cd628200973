-- A text as a UUID, or null where it is none: never an error.
create or replace function corral.fn_try_uuid(p_text text) returns uuid
language sql immutable parallel safe
set search_path = corral, pg_catalog
as $$ select case when fn_is_uuid(p_text) then p_text::uuid end $$;
