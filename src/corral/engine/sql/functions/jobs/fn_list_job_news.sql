-- These jobs as news for their runs' versions: something of them changed, and none of them began or ended by it ('noted').
-- Called by whatever moves steps of distributed jobs, for fn_conclude_jobs.
create or replace function corral.fn_list_job_news(p_job_ids uuid[]) returns corral.job_ended[]
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    select coalesce(array_agg(row(j.job_id, j.run_id, null, j.node_id, null, 'noted', null, null, false, false, null)::job_ended), '{}')
      from jobs j
     where j.job_id = any (p_job_ids) and j.mode = 'distributed'
$$;
