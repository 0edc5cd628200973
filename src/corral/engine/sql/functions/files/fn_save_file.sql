-- Give contents that are in the store a name, which means them from now on. p_file_id is what fn_reserve_file answered: if the contents
-- were deleted since, they must be uploaded again. Locks the file's row, then its name's. Raises CR003 conflict.
create or replace function corral.fn_save_file(p_name text, p_sha256 text, p_file_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    perform 1 from files f
      where f.sha256 = p_sha256 and f.file_id = p_file_id and f.condemned_at is null for no key update;
    if not found then
        raise exception 'the same contents were deleted meanwhile: upload the file again' using errcode = 'CR003', detail = 'sha256';
    end if;
    insert into file_names as n (name, sha256, created_by, created_at)
    values (p_name, p_sha256, p_actor, fn_now())
    on conflict (name, sha256) do update
       set file_no = default, created_by = excluded.created_by, created_at = excluded.created_at;
    perform fn_record_audit(p_actor, 'file.save', p_name, jsonb_build_object('sha256', p_sha256));
end $$;
