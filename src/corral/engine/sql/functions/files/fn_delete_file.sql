-- Take contents out of use, with all their names: nobody finds them any more. Whoever calls deletes the object next, and then calls
-- fn_forget_file; where that one dies, fn_condemn_files finds the row again. Locks the file's row. Raises CR001 not_found.
create or replace function corral.fn_delete_file(p_sha256 text, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    perform 1 from files f where f.sha256 = p_sha256 for no key update;
    if not exists (select 1 from file_names n where n.sha256 = p_sha256) then
        raise exception 'no input file %', p_sha256 using errcode = 'CR001', detail = 'sha256';
    end if;
    delete from file_names n where n.sha256 = p_sha256;
    update files f set condemned_at = fn_now() where f.sha256 = p_sha256;
    perform fn_record_audit(p_actor, 'file.delete', p_sha256, '{}');
end $$;
