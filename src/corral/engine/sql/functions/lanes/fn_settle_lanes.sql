-- Give each lane the head that its queue now has. A lane whose lease is among p_ended_tokens is released first; a lane with
-- another live lease is left alone; a head that stays the head keeps its ticket, a new one goes to the tail of the round.
-- Called after every change of a lane's queue. The caller holds the lanes' locks and changed the jobs in an earlier statement.
create or replace function corral.fn_settle_lanes(p_device_ids uuid[], p_ended_tokens uuid[] default '{}') returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = off
as $$
begin
    update lanes l
       set lease_token = null, lease_epoch = null, request_id = null, granted_at = null,
           unnamed_beats = 0, cancel_requested = false,
           job_id = h.job_id,
           head_priority = coalesce(h.priority, 0),
           gate_run_id = case when h.is_gated then h.run_id end,
           ticket = case
               when h.job_id is null then null
               when l.job_id = h.job_id and l.ticket is not null then l.ticket
               else nextval('corral.lane_ticket')
           end
      from (select d.device_id, head.job_id, head.priority, head.run_id, head.is_gated
              from unnest(p_device_ids) as d (device_id)
              left join lateral (
                   select j.job_id, j.priority, j.run_id, j.is_gated
                     from jobs j
                    where j.device_id = d.device_id and j.is_waiting
                    order by j.priority desc, j.position
                    limit 1) head on true) h
     where l.device_id = h.device_id and l.device_id = any (p_device_ids)
       and (l.lease_token is null or l.lease_token = any (p_ended_tokens))
       and (l.lease_token is not null or l.job_id is distinct from h.job_id or l.head_priority is distinct from coalesce(h.priority, 0));
end $$;
