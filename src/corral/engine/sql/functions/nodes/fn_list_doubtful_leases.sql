-- The devices of a node whose lease needs a closer look: not named by the node now or last time, or past its job's deadline.
-- Usually none. Called by fn_heartbeat, to lock their lanes in advance.
create or replace function corral.fn_list_doubtful_leases(p_node_id text, p_epoch integer, p_held uuid[]) returns uuid[]
language plpgsql stable
set search_path = corral, pg_catalog
as $$
begin
    return array(
        select l.device_id
          from lanes l
         where l.node_id = p_node_id and l.lease_token is not null
           and ((l.lease_epoch = p_epoch and (l.lease_token <> all (p_held) or l.unnamed_beats > 0))
                -- By key, one by one: a join that was planned while there were no jobs reads all of them for each lane.
                or (select j.deadline_at from jobs j where j.job_id = l.job_id) < fn_now()));
end $$;
