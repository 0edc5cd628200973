-- Record judged events under their ids; what was recorded before comes back as duplicate. Log lines are kept in log_lines, not here
-- again. Called by fn_apply_node_events. Waits for a transaction that is recording the same event; keys in order, so never in a circle.
create or replace function corral.fn_record_events(p_events corral.judged_event[]) returns corral.judged_event[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
    v_events  judged_event[];
begin
    with recorded as (
        insert into node_events (node_id, event_id, job_id, seq, type, outcome, message, received_at, payload)
        select e.node_id, e.event_id, e.job_id, e.seq, e.type, e.outcome, e.message, fn_now(),
               case when e.type = 'log' and e.outcome = 'applied' then null
                    else e.body - '{node_id,event_id,job_id,lease_token,seq,type}'::text[] end
          from unnest(p_events) e
         where e.outcome in ('applied', 'stale')
         order by e.node_id, e.event_id
        on conflict (node_id, event_id) do nothing
        returning node_id, event_id
    )
    select coalesce(array_agg(
               case when e.outcome in ('applied', 'stale') and r.event_id is null
                    then row(e.ord, e.node_id, e.event_id, e.job_id, e.lease_token, e.seq, e.type, e.at, e.body, 'duplicate',
                             null)::judged_event
                    else e::judged_event end order by e.ord), '{}')
      into v_events
      from unnest(p_events) e
      left join recorded r on r.node_id = e.node_id and r.event_id = e.event_id;
    return v_events;
end $$;
