-- Store a command asset. p_command is one that corral.workflow let through: {name, uses, title, description, with, params, timeout_s,
-- timeout_bounds_s, on_failure, retries, repeatable}. Raises CR003 conflict where the name is taken.
create or replace function corral.fn_create_command(p_command jsonb, p_tags text[], p_actor text) returns corral.command_assets
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_new   command_assets := fn_read_command(p_command);
    v_made  command_assets;
begin
    insert into command_assets (command_id, name, title, description, uses, with_params, params, timeout_s, timeout_bounds_s, on_failure,
                                retries, repeatable, tags, created_at, updated_at)
    values (fn_uuid7(), v_new.name, v_new.title, v_new.description, v_new.uses, v_new.with_params, v_new.params, v_new.timeout_s,
            v_new.timeout_bounds_s, v_new.on_failure, v_new.retries, v_new.repeatable, coalesce(p_tags, '{}'), fn_now(), fn_now())
    on conflict (name) do nothing
    returning * into v_made;
    if v_made.command_id is null then
        raise exception 'there is already a command %', v_new.name using errcode = 'CR003', detail = 'name';
    end if;
    perform fn_record_audit(p_actor, 'command.create', v_made.command_id::text, jsonb_build_object('name', v_made.name));
    return v_made;
end $$;
