-- Steps that a node holds by our books but did not name in two heartbeats begun after their grant: the grant never arrived (rule 4).
-- Called by fn_review_leases under the node's lock; the caller takes the lost ones back. Where none is lost, it locks the steps whose
-- count changes, skipping locked ones: about those somebody is speaking. Where one is, counting waits for the next beat, so that
-- no step is locked before its job.
create or replace function corral.fn_list_lost_steps(p_node_id text, p_held uuid[]) returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now   timestamptz := fn_now();
    v_lost  uuid[];
    v_some  boolean;
begin
    select array_agg(s.lease_token) filter (where s.unnamed_beats >= 1 and s.lease_token <> all (p_held)),
           bool_or((s.lease_token <> all (p_held)) or s.unnamed_beats > 0)
      into v_lost, v_some
      from job_steps s join nodes n on n.node_id = s.lease_owner and n.epoch = s.lease_epoch
     where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id and s.granted_at < v_now;
    if v_lost is not null or not coalesce(v_some, false) then
        return coalesce(v_lost, '{}');
    end if;
    with counted as materialized (
        select s.job_id, s.name, s.lease_token <> all (p_held) as is_unnamed
          from job_steps s join nodes n on n.node_id = s.lease_owner and n.epoch = s.lease_epoch
         where s.status = 'running' and s.lease_token is not null and s.lease_owner = p_node_id and s.granted_at < v_now
           and (s.lease_token <> all (p_held) or s.unnamed_beats > 0)
         order by s.job_id, s.name
           for no key update of s skip locked
    )
    update job_steps s
       set unnamed_beats = case when c.is_unnamed then s.unnamed_beats + 1 else 0 end
      from counted c
     where s.job_id = c.job_id and s.job_attempt = 1 and s.name = c.name;
    return '{}'::uuid[];
end $$;
