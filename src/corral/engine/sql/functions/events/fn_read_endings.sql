-- The changes that applied job_finished events ask for. A job that its node gave up unfinished (interrupted, or cancelled without
-- being asked) goes back to its queue; one that had gone back already stays there. Called by fn_apply_node_events.
create or replace function corral.fn_read_endings(p_events corral.judged_event[]) returns corral.job_change[]
language sql immutable
as $$
    select coalesce(array_agg(row(
               e.job_id,
               case when e.body ->> 'outcome' in ('succeeded', 'failed') then e.body ->> 'outcome' else 'queued' end,
               case when e.body ->> 'outcome' = 'interrupted' then 'interrupted' else 'finished' end,
               corral.fn_known_reason(e.body ->> 'failure_reason'),
               e.body ->> 'error_message', e.body -> 'output', e.at)::corral.job_change), '{}')
      from unnest(p_events) e
     where e.outcome = 'applied' and e.type = 'job_finished'
       and (e.body ->> 'outcome' in ('succeeded', 'failed') or e.job_status in ('leased', 'running'))
$$;
