-- Forget uploads whose objects were deleted. Called by upkeep, after the store.
create or replace function corral.fn_forget_artifacts(p_keys text[]) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    delete from artifact_uploads u
     where u.key = any (p_keys) and not exists (select 1 from artifacts a where a.key = u.key)
$$;
