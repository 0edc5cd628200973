-- Set a chain aside, or let agents claim from it again: what waits in it is not to be had before the end of time, or now.
-- A task that was set aside itself stays so. Called by fn_update_chain under the job's lock. Locks the steps that wait, in key order.
create or replace function corral.fn_lock_chain(p_chain_id uuid, p_is_locked boolean) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    update chains c set is_locked = p_is_locked where c.chain_id = p_chain_id;
    perform 1 from job_steps s
      where s.job_id = p_chain_id and s.job_attempt = 1 and s.status in ('pending', 'ready') order by s.name for no key update;
    update job_steps s
       set available_at = case when p_is_locked or t.is_locked then 'infinity'::timestamptz end
      from tasks t
     where s.job_id = p_chain_id and s.job_attempt = 1 and s.status in ('pending', 'ready')
       and t.chain_id = s.job_id and t.step = s.name;
end $$;
