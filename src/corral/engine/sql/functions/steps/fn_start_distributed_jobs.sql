-- Set distributed jobs running whose first step starts. Called by whatever starts steps, with the jobs' locks or, by claims of tasks,
-- without: it waits for nobody, and whoever holds the lock of a job is moving that job anyway.
-- Returns all of them, for the runs' versions: those that began as running, the others, of which a further step started, as noted.
create or replace function corral.fn_start_distributed_jobs(p_job_ids uuid[]) returns corral.job_ended[]
language sql volatile
set search_path = corral, pg_catalog
as $$
    with free as materialized (
        select j.job_id from jobs j
         where j.job_id = any (p_job_ids) and j.mode = 'distributed' and not j.is_started and j.finished_at is null
         order by j.job_id
           for no key update skip locked
    ), started as (
        update jobs j
           set status = 'running', is_started = true, attempt = 1, started_at = fn_now()
          from free f
         where j.job_id = f.job_id
        returning j.job_id, j.run_id, j.node_id
    )
    select coalesce(array_agg(row(s.job_id, s.run_id, null, s.node_id, null, 'running', null, null, false, false, null)::job_ended), '{}')
           || fn_list_job_news(array(select u.job_id from unnest(p_job_ids) as u (job_id) except select o.job_id from started o))
      from started s
$$;
