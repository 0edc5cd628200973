-- Delete a chain with its tasks, unless one is in progress. Locks the job, then its steps: nobody claims one meanwhile.
-- Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_delete_chain(p_chain_id uuid, p_actor text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_name   text;
    v_run    uuid;
    v_tasks  text[];
begin
    perform fn_lock_jobs(array[p_chain_id]);
    select c.name, j.run_id into v_name, v_run from chains c join jobs j on j.job_id = c.chain_id where c.chain_id = p_chain_id;
    if v_name is null then
        raise exception 'no chain %', p_chain_id using errcode = 'CR001', detail = 'chain_id';
    end if;
    perform 1 from job_steps s where s.job_id = p_chain_id order by s.name for update;
    if exists (select 1 from job_steps s where s.job_id = p_chain_id and s.status = 'running') then
        raise exception 'a task of chain % is in progress', v_name using errcode = 'CR003', detail = 'chain_id';
    end if;
    v_tasks := array(select t.task_id::text from tasks t where t.chain_id = p_chain_id);
    perform fn_forget_jobs(array[p_chain_id]);
    perform fn_forget_runs(array[v_run]);
    perform fn_record_audit(p_actor, 'chain.delete', p_chain_id::text, jsonb_build_object('name', v_name));
    perform fn_note_changes('tasks', v_tasks, true);
    perform fn_note_changes('chains', array[p_chain_id::text], true);
end $$;
