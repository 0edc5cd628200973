-- Choose and lock up to p_room ready steps of these demands, in claim order: chains in progress first, then priority, then FIFO.
-- p_channel_id null: steps outside channels. Skips steps that somebody else has locked: they are being claimed.
-- Called by claims under the node's lock. Returns where the rows are (nobody moves them while they are locked), and whether all of
-- them may be done again after their worker was lost.
-- Sequential scans are off, because the statistics of a queue are always stale.
create or replace function corral.fn_pick_steps(
    p_demands integer[], p_channel_id uuid, p_room integer, out places tid[], out is_repeatable boolean)
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
    v_now     timestamptz := fn_now();
    v_look    integer := p_room;
    v_seen    integer;
begin
    if cardinality(p_demands) = 1 and p_channel_id is null then
        select coalesce(array_agg(h.place), '{}'), bool_and(h.is_repeatable)
          into places, is_repeatable
          from (select s.ctid as place, s.is_repeatable from job_steps s
                 where s.status = 'ready' and s.channel_id is null and s.demand_id = p_demands[1]
                   and (s.available_at is null or s.available_at <= v_now)
                 order by s.claim_rank, s.priority desc, s.ready_seq
                 limit p_room
                   for no key update skip locked) h;
        return;
    end if;

    -- The heads of several queues, merged; looks further where others have locked too many of them.
    loop
        v_look := v_look * 4 + 16;
        with heads as materialized (
            select h.* from unnest(p_demands) as d (demand_id)
             cross join lateral (
                   select s.ctid as place, s.claim_rank, s.priority, s.ready_seq
                     from job_steps s
                    where p_channel_id is null and s.status = 'ready' and s.channel_id is null and s.demand_id = d.demand_id
                      and (s.available_at is null or s.available_at <= v_now)
                    order by s.claim_rank, s.priority desc, s.ready_seq limit v_look) h
            union all
            select h.* from unnest(p_demands) as d (demand_id)
             cross join lateral (
                   select s.ctid as place, s.claim_rank, s.priority, s.ready_seq
                     from job_steps s
                    where s.status = 'ready' and s.channel_id = p_channel_id and s.demand_id = d.demand_id
                      and (s.available_at is null or s.available_at <= v_now)
                    order by s.claim_rank, s.priority desc, s.ready_seq limit v_look) h
        ), picked as materialized (
            select s.ctid as place, h.claim_rank, h.priority, h.ready_seq, s.is_repeatable
              from heads h join job_steps s on s.ctid = h.place
             where s.status = 'ready' and (s.available_at is null or s.available_at <= v_now) -- as it is once it is locked
             order by h.claim_rank, h.priority desc, h.ready_seq
             limit p_room
               for no key update of s skip locked
        )
        select coalesce(array_agg(p.place order by p.claim_rank, p.priority desc, p.ready_seq), '{}'), bool_and(p.is_repeatable),
               (select count(*) from heads)
          into places, is_repeatable, v_seen
          from picked p;
        exit when cardinality(places) >= p_room or v_seen < v_look;
    end loop;
end $$;
