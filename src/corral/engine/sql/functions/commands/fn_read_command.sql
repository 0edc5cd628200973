-- A command asset as a row, from the document that corral.workflow let through. Called by fn_create_command and fn_update_command.
create or replace function corral.fn_read_command(p_command jsonb) returns corral.command_assets
language plpgsql stable
set search_path = corral, pg_catalog
as $$
declare
    v_row  command_assets;
begin
    v_row.name := p_command ->> 'name';
    v_row.title := nullif(p_command ->> 'title', '');
    v_row.description := nullif(p_command ->> 'description', '');
    v_row.uses := p_command ->> 'uses';
    v_row.with_params := coalesce(p_command -> 'with', '{}');
    v_row.params := coalesce(p_command -> 'params', '{}');
    v_row.timeout_s := (p_command ->> 'timeout_s')::double precision;
    v_row.timeout_bounds_s := case when jsonb_typeof(p_command -> 'timeout_bounds_s') = 'array'
        then array(select jsonb_array_elements_text(p_command -> 'timeout_bounds_s')::double precision) end;
    v_row.on_failure := p_command ->> 'on_failure';
    v_row.retries := (p_command ->> 'retries')::integer;
    v_row.repeatable := (p_command ->> 'repeatable')::boolean;
    return v_row;
end $$;
