-- Claim contents before they are put into the store, so that nobody deletes them until they have their name; returns the row's id, which
-- fn_save_file wants to see. A reservation that comes to nothing is found by fn_condemn_files. Locks the file's row.
-- Raises CR003 conflict while the same contents are being deleted: ask again.
create or replace function corral.fn_reserve_file(p_sha256 text, p_size_bytes bigint, p_content_type text) returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_id  uuid;
begin
    insert into files as f (sha256, size_bytes, content_type, file_id, reserved_at)
    values (p_sha256, p_size_bytes, p_content_type, fn_uuid7(), fn_now())
    on conflict (sha256) do update set reserved_at = excluded.reserved_at where f.condemned_at is null
    returning f.file_id into v_id;
    if v_id is null then
        raise exception 'the same contents are being deleted just now: ask again' using errcode = 'CR003', detail = 'sha256';
    end if;
    return v_id;
end $$;
