-- Tell the dependents of steps that ended: each counts one need less, and the one that waited for the last of them becomes ready, or
-- skipped where a need failed and it does not say continue_on_failure, or cancelled where its run is. What is skipped has
-- dependents, too: level by level, until nothing more ends. p_owners are who did the ended steps: a chain prefers them.
-- Called under the jobs' locks: nobody else touches a pending step. Returns the job of each step that ended here, once per step.
create or replace function corral.fn_promote_dependents(
    p_job_ids uuid[], p_steps text[], p_is_unmet boolean[], p_owners text[])
returns uuid[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now    timestamptz := fn_now();
    v_ended  uuid[] := '{}';
begin
    while cardinality(p_job_ids) > 0 loop
        with told as (
            select n.job_id, n.step, count(*)::integer as needs, count(*) filter (where e.is_unmet)::integer as unmet, max(e.owner) as owner
              from unnest(p_job_ids, p_steps, p_is_unmet, p_owners) as e (job_id, step, is_unmet, owner)
              join step_needs n on n.job_id = e.job_id and n.needed = e.step
             group by n.job_id, n.step
        ), decided as (
            select t.*, s.job_attempt,
                   case when s.pending_needs > t.needs then 'pending'
                        when r.cancel_requested_at is not null then 'cancelled'
                        when s.unmet_needs + t.unmet > 0 and not s.continue_on_failure then 'skipped'
                        else 'ready' end as status
              from told t
              join job_steps s on s.job_id = t.job_id and s.job_attempt = 1 and s.name = t.step and s.status = 'pending'
              join jobs j on j.job_id = t.job_id
              join runs r on r.run_id = j.run_id
             order by t.job_id, s.position, t.step
        ), numbered as materialized (
            select d.*, case when d.status = 'ready' then nextval('corral.step_ready') end as ready_seq from decided d
        ), moved as (
            update job_steps s
               set pending_needs = s.pending_needs - d.needs,
                   unmet_needs = s.unmet_needs + d.unmet,
                   status = d.status,
                   ready_seq = d.ready_seq,
                   ready_at = case when d.status = 'ready' then v_now end,
                   finished_at = case when d.status in ('skipped', 'cancelled') then v_now end,
                   decision = case when d.status = 'skipped' then 'skip' end,
                   skip_cause = case d.status when 'skipped' then 'upstream' when 'cancelled' then 'cancelled' end,
                   lease_owner = case when s.claim_rank = 0 then d.owner else s.lease_owner end
              from numbered d
             where s.job_id = d.job_id and s.job_attempt = d.job_attempt and s.name = d.step
            returning s.job_id, s.name, s.status
        )
        select coalesce(array_agg(m.job_id), '{}'), array_agg(m.name), array_agg(true), array_agg(null::text)
          into p_job_ids, p_steps, p_is_unmet, p_owners
          from moved m
         where m.status in ('skipped', 'cancelled');
        v_ended := v_ended || p_job_ids;
    end loop;
    return v_ended;
end $$;
