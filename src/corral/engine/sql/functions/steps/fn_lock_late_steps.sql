-- Lock those of these steps that went back to their queue and about which a late word has come: a claim could take them at
-- this moment, because claims do not lock jobs. A running step needs no lock: only holders of its job's lock move it.
-- Called before such words are judged, under the jobs' locks. Locks steps in key order.
create or replace function corral.fn_lock_late_steps(p_job_ids uuid[], p_steps text[], p_tokens uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    perform 1
       from unnest(p_job_ids, p_steps, p_tokens) as u (job_id, step, lease_token)
       join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
      where s.status = 'ready' and s.lease_token = u.lease_token
      order by s.job_id, s.name
        for no key update of s;
end $$;
