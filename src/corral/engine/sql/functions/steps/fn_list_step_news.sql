-- Of the nodes given, those with something to hear in a claim: a ready step that they may be capable of, tokens whose work should stop.
-- Asked once a second, and when steps may have become ready, by every server for all claims that wait at it. Locks nothing; may see
-- a step that a claim then does not get.
create or replace function corral.fn_list_step_news(p_node_ids text[])
returns table (node_id text, has_work boolean, cancel uuid[])
language sql stable
set search_path = corral, pg_catalog
set enable_seqscan = off
as $$
    with wanted as materialized (
        select d.demand_id, d.requires from demands d
         where exists (select 1 from job_steps s
                        where s.status = 'ready' and s.channel_id is null and s.demand_id = d.demand_id
                          and (s.available_at is null or s.available_at <= fn_now()))
    ), asked as (
        select n.node_id, fn_list_cancels(n.node_id) as cancel,
               not n.draining and exists (
                   select 1 from wanted w
                    where w.requires <@ n.capabilities
                       or (exists (select 1 from unnest(w.requires) u where u = 'phone' or u like 'phone:%')
                           and exists (select 1 from fn_list_phones(n.node_id, null) p
                                        where w.requires <@ (n.capabilities || p.capabilities)))) as has_work
          from nodes n where n.node_id = any (p_node_ids)
    )
    select a.node_id, a.has_work, a.cancel from asked a where a.has_work or a.cancel <> '{}'
$$;
