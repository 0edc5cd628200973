-- Store a recipe as the next version of its name; a recipe equal to the newest version returns that one (saving twice is not a
-- new version). Versions are given out under a lock per name. Raises CR002 invalid_request.
create or replace function corral.fn_create_workflow(p_name text, p_mode text, p_recipe jsonb, p_actor text)
returns corral.workflows
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_newest  workflows;
    v_made    workflows;
begin
    if p_name is null or p_name !~ '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$' then
        raise exception 'name must be 1 to 100 letters, digits, spaces, dots, dashes or underscores'
              using errcode = 'CR002', detail = 'name';
    elsif p_mode is null or p_mode not in ('device', 'distributed') then
        raise exception 'mode must be device or distributed' using errcode = 'CR002', detail = 'mode';
    end if;
    perform pg_advisory_xact_lock(hashtext('corral.workflows.' || p_name));
    select w.* into v_newest from workflows w where w.name = p_name order by w.version desc limit 1;
    if v_newest.recipe = p_recipe and v_newest.mode = p_mode then
        return v_newest;
    end if;
    insert into workflows (workflow_id, name, version, mode, recipe, created_by, created_at)
    values (fn_uuid7(), p_name, coalesce(v_newest.version, 0) + 1, p_mode, p_recipe, p_actor, fn_now())
    returning * into v_made;
    perform fn_record_audit(p_actor, 'workflow.create', v_made.workflow_id::text,
                            jsonb_build_object('name', p_name, 'version', v_made.version));
    return v_made;
end $$;
