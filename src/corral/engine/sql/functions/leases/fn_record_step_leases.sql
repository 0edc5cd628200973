-- Write down leases of steps that run or succeeded and are not in leases yet, because something is to be kept under them: a log line,
-- an artifact, a step within the step. Those that end otherwise are written then. The arrays are parallel: tokens, and the jobs and nodes
-- that name them. Called by whatever judges by leases, in an earlier statement. Locks steps in key order: whoever ends one at that moment
-- is waited for. A token that no lease has is looked for among the job's steps, all of them: it is late evidence, or nobody's.
create or replace function corral.fn_record_step_leases(p_job_ids uuid[], p_node_ids text[], p_tokens uuid[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_mergejoin = off
set enable_hashjoin = off
as $$
begin
    with missing as materialized (
        select s.job_id, s.job_attempt, s.name
          from job_steps s
         where s.status = 'running' and s.lease_token is not null and s.lease_owner = any (p_node_ids)
           and s.lease_token = any (p_tokens) and not s.is_recorded
           and exists (select 1 from unnest(p_node_ids, p_tokens) as u (node_id, lease_token)
                        where u.node_id = s.lease_owner and u.lease_token = s.lease_token)
         order by s.job_id, s.name
           for no key update
    ), noted as (
        update job_steps s
           set is_recorded = true
          from missing m
         where s.job_id = m.job_id and s.job_attempt = m.job_attempt and s.name = m.name
        returning s.job_id, s.lease_token, s.name, s.attempt, s.is_started, s.lease_owner, s.granted_at
    )
    insert into leases (job_id, lease_token, step, attempt, node_id, granted_at)
    select n.job_id, n.lease_token, n.name, case when n.is_started then n.attempt else n.attempt + 1 end, n.lease_owner, n.granted_at
      from noted n;

    if not exists (select 1 from unnest(p_job_ids, p_tokens) as u (job_id, lease_token)
                    where not exists (select 1 from leases l where l.job_id = u.job_id and l.lease_token = u.lease_token)) then
        return;
    end if;
    with missing as materialized (
        select s.job_id, s.job_attempt, s.name
          from job_steps s
         where s.job_id = any (p_job_ids) and s.job_attempt = 1 and s.lease_token = any (p_tokens) and s.finished_at is not null
           and not s.is_recorded
           and exists (select 1 from unnest(p_job_ids, p_node_ids, p_tokens) as u (job_id, node_id, lease_token)
                        where u.job_id = s.job_id and u.node_id = s.lease_owner and u.lease_token = s.lease_token)
         order by s.job_id, s.name
           for no key update
    ), noted as (
        update job_steps s
           set is_recorded = true
          from missing m
         where s.job_id = m.job_id and s.job_attempt = m.job_attempt and s.name = m.name
        returning s.job_id, s.lease_token, s.name, s.attempt, s.lease_owner, s.granted_at, s.finished_at
    )
    insert into leases (job_id, lease_token, step, attempt, node_id, granted_at, ended_at, ending)
    select n.job_id, n.lease_token, n.name, n.attempt, n.lease_owner, n.granted_at, n.finished_at, 'finished'
      from noted n
    on conflict (job_id, lease_token) do nothing;
end $$;
