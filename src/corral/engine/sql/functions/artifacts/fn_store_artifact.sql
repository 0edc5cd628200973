-- Note that an artifact's bytes are in the store, as they were measured on the way in. What was noted first stays: the store
-- keeps the first, too. Locks the upload's row. Raises CR001 not_found for an upload that never began.
create or replace function corral.fn_store_artifact(p_key text, p_size_bytes bigint, p_sha256 text, p_content_type text)
returns corral.artifact_uploads
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_upload  artifact_uploads;
begin
    update artifact_uploads u
       set size_bytes = p_size_bytes, sha256 = p_sha256, content_type = p_content_type, stored_at = fn_now()
     where u.key = p_key and u.stored_at is null;
    select u.* into v_upload from artifact_uploads u where u.key = p_key;
    if v_upload.key is null then
        raise exception 'no upload of %', p_key using errcode = 'CR001', detail = 'key';
    end if;
    return v_upload;
end $$;
