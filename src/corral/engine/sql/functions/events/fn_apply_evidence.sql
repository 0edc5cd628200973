-- Keep log lines and artifacts: append-only, labelled with the attempt that they belong to, accepted after a lease's end too.
-- Log lines are capped per lease; the whole log is an artifact. An artifact's key is put only if absent.
-- Called by fn_apply_node_events. Locks the leases that get log lines, in key order.
create or replace function corral.fn_apply_evidence(p_events corral.judged_event[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    if exists (select 1 from unnest(p_events) e where e.type = 'log' and e.outcome = 'applied') then
        perform 1 from leases l
          where (l.job_id, l.lease_token) in (select e.job_id, e.lease_token from unnest(p_events) e
                                               where e.type = 'log' and e.outcome = 'applied')
          order by l.job_id, l.lease_token for no key update;
        with said as materialized (
            select e.job_id, e.lease_token, l.attempt, n.line, e.at, e.ord, n.place,
                   l.log_lines + row_number() over (partition by e.job_id, e.lease_token order by e.ord, n.place) as line_count
              from unnest(p_events) e
              join leases l on l.job_id = e.job_id and l.lease_token = e.lease_token,
                   jsonb_array_elements(e.body -> 'lines') with ordinality as n (line, place)
             where e.type = 'log' and e.outcome = 'applied'
        ), kept as (
            insert into log_lines (job_id, attempt, at, level, step, message)
            select s.job_id, s.attempt, coalesce(least(s.at, fn_now()), fn_now()),
                   coalesce(fn_one_of(s.line ->> 'level', '{debug,info,warning,error}'), 'info'),
                   s.line ->> 'step', left(s.line ->> 'message', 8000)
              from said s, settings c
             where s.line_count <= c.log_lines_per_lease
             order by s.ord, s.place
        )
        update leases l
           set log_lines = c.line_count
          from (select s.job_id, s.lease_token, max(s.line_count) as line_count from said s group by 1, 2) c
         where l.job_id = c.job_id and l.lease_token = c.lease_token;
    end if;

    insert into artifacts (artifact_id, key, run_id, job_id, device_id, node_id, step, attempt, kind, content_type, size_bytes, sha256,
                           at, created_at)
    select fn_uuid7(), e.body ->> 'key', j.run_id, e.job_id, l.device_id, e.node_id, e.body ->> 'step', l.attempt,
           coalesce(e.body ->> 'kind', 'file'), e.body ->> 'content_type', (e.body ->> 'size_bytes')::bigint, e.body ->> 'sha256',
           coalesce(least(e.at, fn_now()), fn_now()), fn_now()
      from unnest(p_events) e
      join leases l on l.job_id = e.job_id and l.lease_token = e.lease_token
      join jobs j on j.job_id = e.job_id
     where e.type = 'artifact_created' and e.outcome = 'applied'
     order by e.body ->> 'key'
    on conflict (key) do nothing;
end $$;
