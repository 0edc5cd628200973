-- Let streams know of the tasks of a chain that ended without being done: those behind one that failed.
create or replace function corral.fn_note_tasks(p_chain_id uuid) returns void
language sql volatile
set search_path = corral, pg_catalog
as $$
    select fn_note_changes('tasks', array(
        select t.task_id::text
          from tasks t join job_steps s on s.job_id = t.chain_id and s.job_attempt = 1 and s.name = t.step
         where t.chain_id = p_chain_id and s.status in ('failed', 'skipped', 'cancelled')
         order by s.position))
$$;
