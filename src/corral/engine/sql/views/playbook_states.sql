-- Playbooks with their steps and the workflow version that they were compiled to. Outdated: a command was changed since.
create or replace view corral.playbook_states as
select p.playbook_id, p.name, p.title, p.description, p.timeout_s, p.defaults, p.workflow_id, w.version as workflow_version,
       s.steps, s.is_outdated, p.created_at, p.updated_at
  from corral.playbooks p
  left join corral.workflows w on w.workflow_id = p.workflow_id
 cross join lateral (
       select coalesce(jsonb_agg(jsonb_build_object(
                  'command', c.name, 'command_id', c.command_id, 'id', t.step_id, 'probability', t.probability, 'timeout_s', t.timeout_s,
                  'on_failure', t.on_failure, 'retries', t.retries, 'params', t.params) order by t.position), '[]') as steps,
              coalesce(bool_or(c.revision <> t.command_revision), false) as is_outdated
         from corral.playbook_steps t join corral.command_assets c on c.command_id = t.command_id
        where t.playbook_id = p.playbook_id) s;
