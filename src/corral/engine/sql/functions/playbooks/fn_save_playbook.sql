-- Store a playbook under its name, anew or in place of the one that has it, and its recipe as a workflow version, in one transaction.
-- p_playbook is {name, title, description, timeout_s, defaults, steps: [{command, id, probability, timeout_s, on_failure, retries,
-- params}]}; p_recipe is what corral.workflow compiled it to, from the commands as of p_revisions ({name: revision}).
-- Locks the commands in key order, then the playbook, then the workflow's name.
-- Raises CR001 not_found for a command, CR003 conflict where one was changed since it was compiled.
create or replace function corral.fn_save_playbook(p_playbook jsonb, p_recipe jsonb, p_revisions jsonb, p_actor text)
returns corral.playbooks
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_workflow  workflows;
    v_saved     playbooks;
    v_name      text;
begin
    perform 1 from command_assets c where p_revisions ? c.name order by c.command_id for share;
    select r.key into v_name
      from jsonb_each_text(p_revisions) r left join command_assets c on c.name = r.key
     where c.revision is distinct from r.value::integer limit 1;
    if v_name is not null then
        raise exception 'command % was changed meanwhile: save the playbook again', v_name using errcode = 'CR003', detail = 'steps';
    end if;
    select s.step ->> 'command' into v_name
      from jsonb_array_elements(p_playbook -> 'steps') as s (step)
     where not p_revisions ? (s.step ->> 'command') limit 1;
    if v_name is not null then
        raise exception 'no command %', v_name using errcode = 'CR001', detail = 'steps';
    end if;

    insert into playbooks as p (playbook_id, name, title, description, timeout_s, defaults, created_at, updated_at)
    values (fn_uuid7(), p_playbook ->> 'name', nullif(p_playbook ->> 'title', ''), nullif(p_playbook ->> 'description', ''),
            (p_playbook ->> 'timeout_s')::double precision, coalesce(p_playbook -> 'defaults', '{}'), fn_now(), fn_now())
    on conflict (name) do update
       set title = excluded.title, description = excluded.description, timeout_s = excluded.timeout_s,
           defaults = excluded.defaults, updated_at = excluded.updated_at
    returning p.* into v_saved;
    delete from playbook_steps s where s.playbook_id = v_saved.playbook_id;
    insert into playbook_steps (playbook_id, position, command_id, command_revision, step_id, probability, timeout_s, on_failure, retries,
                                params)
    select v_saved.playbook_id, s.place, c.command_id, c.revision, s.step ->> 'id', coalesce((s.step ->> 'probability')::double precision, 1),
           (s.step ->> 'timeout_s')::double precision, s.step ->> 'on_failure', (s.step ->> 'retries')::integer,
           coalesce(s.step -> 'params', '{}')
      from jsonb_array_elements(p_playbook -> 'steps') with ordinality as s (step, place)
      join command_assets c on c.name = s.step ->> 'command';

    v_workflow := fn_create_workflow(p_playbook ->> 'name', coalesce(p_recipe ->> 'mode', 'device'), p_recipe, p_actor);
    update playbooks p set workflow_id = v_workflow.workflow_id where p.playbook_id = v_saved.playbook_id returning p.* into v_saved;
    perform fn_record_audit(p_actor, 'playbook.save', v_saved.playbook_id::text,
                            jsonb_build_object('name', v_saved.name, 'version', v_workflow.version));
    return v_saved;
end $$;
