-- Keep capped distributed runs within their cap: of their ready steps, only as many may be claimed as there are places left; the others
-- are held back (available_at is infinity) in their order, and admitted as places become free. A step that waits for its retry keeps its place.
-- Called by whatever readies or ends steps, under the jobs' locks, last. Locks the ready steps in key order: a claim may take one at that moment.
create or replace function corral.fn_admit_steps(p_job_ids uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_jobs  uuid[] := array(select j.job_id from jobs j
                             where j.job_id = any (p_job_ids) and j.mode = 'distributed' and j.is_gated and j.finished_at is null);
begin
    if v_jobs = '{}' then
        return;
    end if;
    perform 1 from job_steps s
      where s.job_id = any (v_jobs) and s.job_attempt = 1 and s.status = 'ready'
      order by s.job_id, s.name for no key update;
    with placed as (
        select s.job_id, s.name, s.status, s.available_at, g.cap,
               row_number() over (partition by s.job_id
                                  order by (s.status = 'running') desc, (s.available_at is not null and s.available_at < 'infinity') desc,
                                           s.claim_rank, s.priority desc, s.ready_seq) as place
          from job_steps s
          join jobs j on j.job_id = s.job_id
          join run_gates g on g.run_id = j.run_id
         where s.job_id = any (v_jobs) and s.job_attempt = 1 and s.status in ('ready', 'running')
    )
    update job_steps s
       set available_at = case when p.place > p.cap then 'infinity'::timestamptz end
      from placed p
     where s.job_id = p.job_id and s.job_attempt = 1 and s.name = p.name and p.status = 'ready'
       and ((p.place > p.cap and p.available_at is null) or (p.place <= p.cap and p.available_at = 'infinity'));
end $$;
