-- Command assets with the playbooks that use them.
create or replace view corral.command_states as
select c.command_id, c.name, c.title, c.description, c.uses, c.with_params, c.params, c.timeout_s, c.timeout_bounds_s, c.on_failure,
       c.retries, c.repeatable, c.tags, c.revision, c.created_at, c.updated_at,
       array(select distinct p.name from corral.playbook_steps s join corral.playbooks p on p.playbook_id = s.playbook_id
              where s.command_id = c.command_id order by p.name) as used_by
  from corral.command_assets c;
