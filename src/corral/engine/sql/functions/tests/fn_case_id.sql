-- The key of a test case: as long as any other, however long its names are. The length keeps ('ab', 'c') and ('a', 'bc') apart.
create or replace function corral.fn_case_id(p_class_name text, p_name text) returns uuid
language sql immutable parallel safe
as $$
    select encode(substr(sha256(convert_to(length(p_class_name) || ':' || p_class_name || p_name, 'UTF8')), 1, 16), 'hex')::uuid
$$;
