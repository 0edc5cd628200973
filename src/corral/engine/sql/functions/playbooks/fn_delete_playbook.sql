-- Delete a playbook. The workflow versions that it was compiled to stay, and so do their runs. Raises CR001 not_found.
create or replace function corral.fn_delete_playbook(p_playbook_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_name  text;
begin
    delete from playbooks p where p.playbook_id = p_playbook_id returning p.name into v_name;
    if v_name is null then
        raise exception 'no playbook %', p_playbook_id using errcode = 'CR001', detail = 'playbook_id';
    end if;
    perform fn_record_audit(p_actor, 'playbook.delete', p_playbook_id::text, jsonb_build_object('name', v_name));
end $$;
