-- Steps that a node holds by our books but did not name in two heartbeats begun after their grant: the grant never arrived (rule 4).
-- Called by fn_review_leases under the node's lock; the caller takes the lost ones back. Where none is lost, it locks the steps whose
-- count changes, skipping locked ones: about those somebody is speaking. Where one is, counting waits for the next beat, so that
-- no step is locked before its job.
-- Every statement reads one table, and has only one index to do it by: a plan that was made when there was no step must serve many.
create or replace function corral.fn_list_lost_steps(p_node_id text, p_held uuid[]) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
    v_now     timestamptz := fn_now();
    v_epoch   integer := (select n.epoch from nodes n where n.node_id = p_node_id);
    v_lost    uuid[];
    v_some    boolean;
    v_places  tid[];
begin
    select array_agg(s.lease_token) filter (where s.unnamed_beats >= 1 and s.lease_token <> all (p_held)),
           bool_or((s.lease_token <> all (p_held)) or s.unnamed_beats > 0)
      into v_lost, v_some
      from job_steps s
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id and s.lease_epoch = v_epoch
       and s.granted_at < v_now;
    if v_lost is not null or not coalesce(v_some, false) then
        return coalesce(v_lost, '{}');
    end if;
    -- In no order, because it waits for nobody: an order would offer the planner the primary key, and with it the whole table.
    v_places := array(
        select s.ctid from job_steps s
         where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id and s.lease_epoch = v_epoch
           and s.granted_at < v_now and (s.lease_token <> all (p_held) or s.unnamed_beats > 0)
           for no key update skip locked);
    update job_steps s
       set unnamed_beats = case when s.lease_token <> all (p_held) then s.unnamed_beats + 1 else 0 end
     where s.ctid = any (v_places);
    return '{}'::uuid[];
end $$;
