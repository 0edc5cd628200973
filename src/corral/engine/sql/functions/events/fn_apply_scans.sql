-- Move scans on by the events that were applied. Called by fn_apply_node_events; a scan belongs to one node.
create or replace function corral.fn_apply_scans(p_events corral.judged_event[]) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
begin
    if not exists (select 1 from unnest(p_events) e where e.outcome = 'applied' and e.type in ('scan_progress', 'scan_finished')) then
        return;
    end if;
    update scan_jobs s
       set status = case when not t.is_over then 'running' when t.body ->> 'error_message' is null then 'succeeded' else 'failed' end,
           started_at = coalesce(s.started_at, fn_now()),
           finished_at = case when t.is_over then fn_now() end,
           found = coalesce(case when t.body ->> 'found' ~ '^\d{1,9}$' then (t.body ->> 'found')::integer end, s.found),
           progress = coalesce(t.body -> 'progress', s.progress),
           error_message = t.body ->> 'error_message'
      from (select distinct on (e.body ->> 'scan_id') (e.body ->> 'scan_id')::uuid as scan_id, e.body, e.type = 'scan_finished' as is_over
              from unnest(p_events) e
             where e.outcome = 'applied' and e.type in ('scan_progress', 'scan_finished')
             order by e.body ->> 'scan_id', (e.type = 'scan_finished') desc, e.ord desc) t
     where s.scan_id = t.scan_id and s.finished_at is null;
end $$;
