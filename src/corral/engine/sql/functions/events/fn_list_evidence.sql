-- The jobs of which these events brought log lines, artifacts or results of tests, as news for their runs' versions: nothing else of them changed.
-- Called by fn_apply_node_events.
create or replace function corral.fn_list_evidence(p_events corral.judged_event[]) returns corral.job_ended[]
language sql stable
set search_path = corral, pg_catalog
as $$
    select coalesce(array_agg(row(j.job_id, j.run_id, null, t.node_id, null, 'noted', null, null, false, false, null)::job_ended), '{}')
      from (select distinct e.job_id, e.node_id from unnest(p_events) e
             where e.outcome = 'applied' and e.type in ('log', 'artifact_created', 'test_results')) t
      join jobs j on j.job_id = t.job_id
$$;
