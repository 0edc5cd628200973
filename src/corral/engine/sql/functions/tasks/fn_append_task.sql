-- Add a task to the end of a chain: it is claimed once the task before it is done. Without a chain it gets one of its own, which is
-- closed at once. Without p_sequence it gets the next one. Its name is its sequence.
-- Locks the job. Raises CR001 not_found, CR003 conflict (a sequence that is taken or not the last; a chain that is closed).
create or replace function corral.fn_append_task(
    p_channel_id uuid, p_chain_id uuid, p_sequence integer, p_title text, p_description text, p_priority integer,
    p_timeout_s double precision, p_actor text)
returns table (job_id uuid, name text)
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_job      uuid := coalesce(p_chain_id, fn_create_chain(p_channel_id, p_title, null, p_actor));
    v_open     boolean;
    v_channel  uuid;
    v_last     job_steps;
    v_next     integer;
begin
    select j.is_open and j.finished_at is null, r.source_id::uuid into v_open, v_channel
      from jobs j join runs r on r.run_id = j.run_id
     where j.job_id = v_job and j.mode = 'distributed' and r.source_type = 'channel'
       for no key update of j;
    if v_open is null then
        raise exception 'no chain %', p_chain_id using errcode = 'CR001', detail = 'chain_id';
    elsif not v_open then
        raise exception 'chain % is closed', p_chain_id using errcode = 'CR003', detail = 'chain_id';
    elsif p_channel_id is not null and p_channel_id <> v_channel then
        raise exception 'chain % is in another channel', p_chain_id using errcode = 'CR003', detail = 'channel_id';
    end if;
    select s.* into v_last from job_steps s where s.job_id = v_job and s.job_attempt = 1 order by s.position desc limit 1;
    v_next := coalesce(p_sequence, v_last.position + 1, 1);
    if v_next <= v_last.position then
        raise exception 'sequence % is taken: the chain ends at %', v_next, v_last.position using errcode = 'CR003', detail = 'sequence';
    end if;
    perform fn_create_steps(v_job, jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
        'name', v_next::text, 'position', v_next, 'title', p_title, 'description', p_description, 'channel_id', v_channel,
        'priority', p_priority, 'timeout_s', coalesce(p_timeout_s, 86400), 'claim_rank', case when v_last.name is null then 1 else 0 end,
        'needs', case when v_last.name is not null then jsonb_build_array(v_last.name) end))));
    if p_chain_id is null then
        update jobs j set is_open = false where j.job_id = v_job;
    end if;
    return query select v_job, v_next::text;
end $$;
