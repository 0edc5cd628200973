-- A chain: an open distributed job whose tasks are done one after the other. Nobody claims from a locked one.
-- Raises CR001 not_found. Returns its id, the job's.
create or replace function corral.fn_create_chain(
    p_channel_id uuid, p_name text, p_description text, p_is_locked boolean, p_actor text)
returns uuid
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now  timestamptz := fn_now();
    v_job  uuid;
begin
    if not exists (select 1 from channels c where c.channel_id = p_channel_id) then
        raise exception 'no channel %', p_channel_id using errcode = 'CR001', detail = 'channel_id';
    end if;
    v_job := fn_create_job(null, 'chain', 'distributed', jsonb_strip_nulls(jsonb_build_object('description', p_description)),
                           'channel', p_channel_id::text, true, p_actor);
    insert into chains (chain_id, channel_id, name, description, is_locked, created_at, updated_at)
    values (v_job, p_channel_id, coalesce(nullif(p_name, ''), 'chain'), p_description, coalesce(p_is_locked, false), v_now, v_now);
    update runs r set name = p_name
      from jobs j where j.job_id = v_job and r.run_id = j.run_id and coalesce(p_name, '') <> '';
    perform fn_note_changes('chains', array[v_job::text]);
    return v_job;
end $$;
