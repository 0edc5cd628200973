-- What a person changes of a chain; what is not given stays. Status: locked, and nobody claims from it; queued or in_progress, and
-- they do again; done closes a chain of which nothing is left to do; failed ends one of which nothing is being done.
-- The run has the chain's name, and its version grows. Locks the job, then steps, then what fn_conclude_jobs locks. Raises CR001 not_found, CR003 conflict.
create or replace function corral.fn_update_chain(
    p_chain_id uuid, p_name text, p_description text, p_status text, p_actor text)
returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now     timestamptz := fn_now();
    v_status  text;
begin
    perform fn_lock_jobs(array[p_chain_id]);
    select c.status into v_status from chain_states c where c.id = p_chain_id;
    if v_status is null then
        raise exception 'no chain %', p_chain_id using errcode = 'CR001', detail = 'chain_id';
    end if;
    update chains c
       set name = coalesce(p_name, c.name), description = coalesce(p_description, c.description), updated_at = v_now
     where c.chain_id = p_chain_id;

    if p_status = 'done' and v_status <> 'failed' then
        perform fn_end_chain(p_chain_id, 'done');
    elsif p_status is null or p_status = v_status then
        null;
    elsif v_status in ('done', 'failed') then
        raise exception 'the chain is % already', v_status using errcode = 'CR003', detail = 'status';
    elsif p_status = 'failed' then
        perform fn_end_chain(p_chain_id, 'failed');
    else
        perform fn_lock_chain(p_chain_id, p_status = 'locked');
    end if;
    perform fn_conclude_jobs('{}', fn_list_job_news(array[p_chain_id]));
    update runs r set name = p_name
      from jobs j where j.job_id = p_chain_id and r.run_id = j.run_id and p_name is not null;
    perform fn_record_audit(p_actor, 'chain.update', p_chain_id::text,
                            jsonb_strip_nulls(jsonb_build_object('name', p_name, 'status', p_status)));
    perform fn_note_changes('chains', array[p_chain_id::text]);
end $$;
