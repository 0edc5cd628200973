-- A distributed run of a named task, with its one job; its steps are added by fn_create_steps. The task is the newest distributed
-- workflow of that name; a name that does not exist yet becomes one without steps. p_is_open: the job does not end with its steps,
-- but when it is closed. Raises CR002 invalid_request, CR003 conflict. Returns the job's id.
create or replace function corral.fn_create_job(
    p_workspace text, p_task_name text, p_mode text, p_input jsonb, p_source_type text, p_source_id text, p_is_open boolean, p_actor text)
returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_workflow  uuid;
    v_run       uuid;
    v_job       uuid;
begin
    if p_mode is distinct from 'distributed' then
        raise exception 'mode must be distributed: jobs of devices are made by runs' using errcode = 'CR002', detail = 'mode';
    elsif p_input is not null and jsonb_typeof(p_input) <> 'object' then
        raise exception 'input must be an object' using errcode = 'CR002', detail = 'input';
    end if;
    select w.workflow_id into v_workflow from workflows w
     where w.name = p_task_name and w.mode = 'distributed' order by w.version desc limit 1;
    if v_workflow is null then
        if exists (select 1 from workflows w where w.name = p_task_name) then
            raise exception 'workflow % runs on devices', p_task_name using errcode = 'CR003', detail = 'task_name';
        end if;
        v_workflow := (fn_create_workflow(p_task_name, 'distributed', jsonb_build_object('name', p_task_name, 'mode', 'distributed',
                                                                                         'steps', '[]'::jsonb), p_actor)).workflow_id;
    end if;
    v_run := (fn_create_run(v_workflow, jsonb_strip_nulls(jsonb_build_object(
        'workspace', p_workspace, 'params', coalesce(p_input, '{}'), 'source_type', p_source_type, 'source_id', p_source_id)),
        p_actor)).run_id;
    update jobs j set is_open = coalesce(p_is_open, false) where j.run_id = v_run returning j.job_id into v_job;
    return v_job;
end $$;
