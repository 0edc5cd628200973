-- End a chain at a person's word. Done: nothing may be left to do in it. Failed: nothing may be in progress, and something must be left;
-- the next task fails, and those behind it with it. Called by fn_update_chain under the job's lock.
-- Locks the steps that wait, then what fn_conclude_jobs locks. Raises CR003 conflict.
create or replace function corral.fn_end_chain(p_chain_id uuid, p_status text) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_next     job_steps;
    v_effects  job_effects;
begin
    perform 1 from job_steps s
      where s.job_id = p_chain_id and s.job_attempt = 1 and s.status in ('pending', 'ready') order by s.name for no key update;
    select s.* into v_next from job_steps s
     where s.job_id = p_chain_id and s.job_attempt = 1 and s.finished_at is null order by s.position limit 1;
    if p_status = 'done' then
        if v_next.name is not null then
            raise exception 'task % of the chain is not done', v_next.name using errcode = 'CR003', detail = 'status';
        end if;
        perform fn_close_job(p_chain_id);
        return;
    elsif v_next.name is null then
        raise exception 'nothing is left to fail in the chain' using errcode = 'CR003', detail = 'status';
    elsif v_next.status = 'running' then
        raise exception 'task % of the chain is in progress', v_next.name using errcode = 'CR003', detail = 'status';
    end if;
    update jobs j set is_open = false where j.job_id = p_chain_id;
    v_effects := fn_conclude_steps(array[row(p_chain_id, v_next.name, 'failed', null, null, 'action_failed', 'the chain was given up',
                                             null, null, null, null, false)::step_change]);
    perform fn_conclude_jobs(v_effects.changes, v_effects.news);
    perform fn_note_tasks(p_chain_id);
end $$;
