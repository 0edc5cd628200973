-- What a person changes of a task; what is not given stays. A task that waits can be locked (set aside: nobody claims it), and be
-- queued again. Lets the run's version grow. Locks the job, the task, then the run's stripe. Raises CR001 not_found, CR003 conflict where it is not waiting.
create or replace function corral.fn_update_task(
    p_task_id uuid, p_title text, p_description text, p_priority integer, p_status text, p_actor text)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_task     tasks;
    v_chain    chains;
    v_status   text;
    v_locked   boolean;
begin
    select t.* into v_task from tasks t where t.task_id = p_task_id;
    perform fn_lock_jobs(array[v_task.chain_id]);
    select c.* into v_chain from chains c where c.chain_id = v_task.chain_id;
    select s.status into v_status from job_steps s
     where s.job_id = v_task.chain_id and s.job_attempt = 1 and s.name = v_task.step for no key update;
    if v_status is null then
        raise exception 'no task %', p_task_id using errcode = 'CR001', detail = 'task_id';
    elsif p_status is not null and v_status not in ('pending', 'ready') then
        raise exception 'the task does not wait any more' using errcode = 'CR003', detail = 'status';
    end if;
    v_locked := coalesce(p_status = 'locked', v_task.is_locked);
    update tasks t set is_locked = v_locked, updated_at = fn_now() where t.task_id = p_task_id;
    update job_steps s
       set title = coalesce(p_title, s.title), description = coalesce(p_description, s.description),
           priority = coalesce(p_priority, s.priority),
           available_at = case when p_status is null then s.available_at
                               when v_locked or v_chain.is_locked then 'infinity'::timestamptz end
     where s.job_id = v_task.chain_id and s.job_attempt = 1 and s.name = v_task.step;
    perform fn_conclude_jobs('{}', fn_list_job_news(array[v_task.chain_id]));
    perform fn_record_audit(p_actor, 'task.update', p_task_id::text, jsonb_strip_nulls(jsonb_build_object('status', p_status)));
    perform fn_note_changes('tasks', array[p_task_id::text]);
end $$;
