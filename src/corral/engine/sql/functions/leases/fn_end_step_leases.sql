-- End leases of steps that succeeded and are in leases already, because something was kept under them. The arrays are parallel.
-- Called by fn_finish_steps, in a statement after the one that ended the steps: it sees what was written down while that one waited.
-- Bitmap scans alone need a condition, so that each lease is looked up by its key whatever the statistics say.
create or replace function corral.fn_end_step_leases(p_job_ids uuid[], p_tokens uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_bitmapscan = on set enable_mergejoin = off set enable_hashjoin = off
as $$
begin
    update leases l
       set ended_at = fn_now(), ending = 'finished'
      from unnest(p_job_ids, p_tokens) as u (job_id, lease_token)
     where l.job_id = u.job_id and l.lease_token = u.lease_token and l.ended_at is null;
end $$;
