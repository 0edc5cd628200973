-- Replace a command asset by p_command, as fn_create_command takes it; null tags stay as they are. Playbooks that use it keep the
-- workflow versions that they have, and are outdated until they are saved again. Locks the command.
-- Raises CR001 not_found, CR003 conflict where the new name is taken.
create or replace function corral.fn_update_command(p_command_id uuid, p_command jsonb, p_tags text[], p_actor text)
returns corral.command_assets
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_new   command_assets := fn_read_command(p_command);
    v_made  command_assets;
begin
    perform 1 from command_assets c where c.command_id = p_command_id for update;
    if not found then
        raise exception 'no command %', p_command_id using errcode = 'CR001', detail = 'command_id';
    elsif exists (select 1 from command_assets c where c.name = v_new.name and c.command_id <> p_command_id) then
        raise exception 'there is already a command %', v_new.name using errcode = 'CR003', detail = 'name';
    end if;
    update command_assets c
       set name = v_new.name, title = v_new.title, description = v_new.description, uses = v_new.uses, with_params = v_new.with_params,
           params = v_new.params, timeout_s = v_new.timeout_s, timeout_bounds_s = v_new.timeout_bounds_s, on_failure = v_new.on_failure,
           retries = v_new.retries, repeatable = v_new.repeatable, tags = coalesce(p_tags, c.tags), revision = c.revision + 1,
           updated_at = fn_now()
     where c.command_id = p_command_id
    returning * into v_made;
    perform fn_record_audit(p_actor, 'command.update', p_command_id::text, jsonb_build_object('name', v_made.name));
    return v_made;
end $$;
