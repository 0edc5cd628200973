-- Let the task behind a new one wait for the new one, instead of what it waited for; one that was begun already waits for nothing more.
-- Called by fn_append_task under the job's lock. Locks the task behind: a claim may be taking it.
create or replace function corral.fn_put_task_before(p_chain_id uuid, p_before text, p_sequence integer) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_behind  text;
begin
    select s.name into v_behind from job_steps s
     where s.job_id = p_chain_id and s.position > p_sequence order by s.position limit 1;
    perform 1 from job_steps s where s.job_id = p_chain_id and s.job_attempt = 1 and s.name = v_behind for no key update;
    update job_steps s
       set status = 'pending', needs = array[p_sequence::text], pending_needs = 1, unmet_needs = 0, claim_rank = 0,
           ready_seq = null, ready_at = null, lease_owner = null
     where s.job_id = p_chain_id and s.job_attempt = 1 and s.name = v_behind and s.status in ('pending', 'ready');
    if found then
        delete from step_needs n where n.job_id = p_chain_id and n.needed = p_before and n.step = v_behind;
        insert into step_needs (job_id, needed, step) values (p_chain_id, p_sequence::text, v_behind);
    end if;
end $$;
