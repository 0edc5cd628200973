-- Delete a command asset that no playbook uses. Locks the command, so that no playbook can begin to use it meanwhile.
-- Raises CR001 not_found, CR003 conflict naming the playbooks.
create or replace function corral.fn_delete_command(p_command_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_name   text;
    v_users  text;
begin
    select c.name into v_name from command_assets c where c.command_id = p_command_id for update;
    if v_name is null then
        raise exception 'no command %', p_command_id using errcode = 'CR001', detail = 'command_id';
    end if;
    select string_agg(distinct p.name, ', ' order by p.name) into v_users
      from playbook_steps s join playbooks p on p.playbook_id = s.playbook_id where s.command_id = p_command_id;
    if v_users is not null then
        raise exception 'command % is used by %', v_name, v_users using errcode = 'CR003', detail = 'command_id';
    end if;
    delete from command_assets c where c.command_id = p_command_id;
    perform fn_record_audit(p_actor, 'command.delete', p_command_id::text, jsonb_build_object('name', v_name));
end $$;
