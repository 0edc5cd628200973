-- The results that applied test_results events tell, with whose they are; texts are cut to what is kept. Called by fn_apply_test_results.
create or replace function corral.fn_read_results(p_events corral.judged_event[]) returns corral.told_result[]
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off set enable_mergejoin = off set enable_hashjoin = off
as $$
    select coalesce(array_agg(row(
               j.run_id, e.job_id, l.attempt, l.device_id, e.node_id, e.lease_token, e.body ->> 'step',
               fn_case_id(r.body ->> 'class_name', r.body ->> 'name'), r.body ->> 'class_name', r.body ->> 'name',
               (r.body ->> 'try')::integer, r.body ->> 'status', (r.body ->> 'duration_s')::double precision,
               left(r.body ->> 'message', 2000), left(r.body ->> 'trace', 20000),
               coalesce(least(e.at, fn_now()), fn_now()))::told_result order by e.ord, r.place), '{}')
      from unnest(p_events) e
     cross join lateral jsonb_array_elements(e.body -> 'results') with ordinality as r (body, place)
      join leases l on l.job_id = e.job_id and l.lease_token = e.lease_token
      join jobs j on j.job_id = e.job_id
     where e.type = 'test_results' and e.outcome = 'applied'
$$;
