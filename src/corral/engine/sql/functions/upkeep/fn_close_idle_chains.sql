-- Close chains of which nothing was left to do before p_before, at most p_limit a call: they end, and can then be purged as runs are.
-- Called by upkeep where runs are purged. Locks jobs in key order, then what fn_conclude_jobs locks. Returns how many.
create or replace function corral.fn_close_idle_chains(p_before timestamptz, p_limit integer default 1000) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_jobs  uuid[];
    v_job   uuid;
begin
    v_jobs := array(
        select j.job_id from chains c join jobs j on j.job_id = c.chain_id
         where j.is_open and j.finished_at is null and j.open_steps = 0 and j.steps_total > 0
           and not exists (select 1 from job_steps s where s.job_id = j.job_id and s.finished_at >= p_before)
         order by j.job_id limit coalesce(p_limit, 1000));
    perform fn_lock_jobs(v_jobs);
    foreach v_job in array v_jobs loop
        if exists (select 1 from jobs j where j.job_id = v_job and j.is_open and j.open_steps = 0) then
            perform fn_close_job(v_job);
        end if;
    end loop;
    perform fn_note_changes('chains', v_jobs::text[]);
    return cardinality(v_jobs);
end $$;
