-- Add a task to a chain: it is claimed once the task before it is done. Without a chain it gets one of its own, which ends with its
-- last task. Without p_sequence it comes last; with one that is free between others, it comes between them. Its name is its sequence.
-- Locks the job, then the task behind the new one, then the run's stripe. Raises CR001 not_found, CR003 conflict (a sequence that is
-- taken; a chain that is closed or has failed; one of another channel). Returns the task's id.
create or replace function corral.fn_append_task(
    p_channel_id uuid, p_chain_id uuid, p_sequence integer, p_title text, p_description text, p_priority integer,
    p_is_locked boolean, p_actor text)
returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_id      uuid := coalesce(p_chain_id, fn_create_chain(p_channel_id, p_title, null, false, p_actor));
    v_chain   chains;
    v_job     jobs;
    v_before  text;
    v_next    integer;
    v_task    uuid := fn_uuid7();
begin
    select j.* into v_job from jobs j where j.job_id = v_id for no key update;
    select c.* into v_chain from chains c where c.chain_id = v_id;
    if v_chain.chain_id is null then
        raise exception 'no chain %', p_chain_id using errcode = 'CR001', detail = 'chain_id';
    elsif not exists (select 1 from channels c where c.channel_id = coalesce(p_channel_id, v_chain.channel_id)) then
        raise exception 'no channel %', p_channel_id using errcode = 'CR001', detail = 'channel_id';
    elsif p_channel_id <> v_chain.channel_id then
        raise exception 'chain % is in another channel', p_chain_id using errcode = 'CR003', detail = 'channel_id';
    elsif v_job.finished_at is not null
          or exists (select 1 from job_steps s where s.job_id = v_job.job_id and s.status in ('failed', 'skipped', 'cancelled')) then
        raise exception 'chain % is closed', p_chain_id using errcode = 'CR003', detail = 'chain_id';
    end if;
    v_next := coalesce(p_sequence, (select max(s.position) + 1 from job_steps s where s.job_id = v_job.job_id), 1);
    if exists (select 1 from job_steps s where s.job_id = v_job.job_id and s.position = v_next) then
        raise exception 'sequence % is taken', v_next using errcode = 'CR003', detail = 'sequence';
    end if;
    select s.name into v_before from job_steps s
     where s.job_id = v_job.job_id and s.position < v_next order by s.position desc limit 1;
    -- A task outlives ten lost agents; what its agent fails has failed.
    perform fn_add_steps(v_job.job_id, jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
        'name', v_next::text, 'position', v_next, 'title', p_title, 'description', p_description, 'channel_id', v_chain.channel_id,
        'priority', p_priority, 'timeout_s', 86400, 'max_attempts', 10, 'claim_rank', case when v_before is null then 1 else 0 end,
        'needs', case when v_before is not null then jsonb_build_array(v_before) end))));
    insert into tasks (task_id, chain_id, step, is_locked, updated_at)
    values (v_task, v_job.job_id, v_next::text, coalesce(p_is_locked, false), fn_now());
    perform fn_put_task_before(v_job.job_id, v_before, v_next);
    update job_steps s
       set available_at = case when p_is_locked or v_chain.is_locked then 'infinity'::timestamptz end,
           ready_seq = case when v_before is null then v_chain.place else s.ready_seq end
     where s.job_id = v_job.job_id and s.job_attempt = 1 and s.name = v_next::text
       and (p_is_locked or v_chain.is_locked or v_before is null);
    if p_chain_id is null then
        update jobs j set is_open = false where j.job_id = v_job.job_id;
    end if;
    perform fn_conclude_jobs('{}', fn_list_job_news(array[v_job.job_id]));
    perform fn_note_changes('tasks', array[v_task::text]);
    return v_task;
end $$;
