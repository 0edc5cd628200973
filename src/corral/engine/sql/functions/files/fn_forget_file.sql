-- Forget condemned contents after their object was deleted: the same contents may be uploaded again.
create or replace function corral.fn_forget_file(p_sha256 text) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    delete from files f where f.sha256 = p_sha256 and f.condemned_at is not null
$$;
