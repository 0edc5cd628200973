-- Note that steps began: their attempt is counted, once per lease, their job runs. A step that waited long at its node gets
-- its whole time from here. Called under the jobs' locks, with changes whose tokens were judged current. Returns the jobs, for
-- their runs' versions.
create or replace function corral.fn_begin_steps(p_changes corral.step_change[]) returns corral.job_ended[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now   timestamptz := fn_now();
    v_jobs  uuid[];
begin
    if coalesce(cardinality(p_changes), 0) = 0 then
        return '{}'::job_ended[];
    end if;
    with begun as (
        update job_steps s
           set attempt = case when s.is_started then s.attempt else s.attempt + 1 end,
               is_started = true,
               state_seq = coalesce(c.seq, s.state_seq),
               started_at = coalesce(s.started_at, fn_clamp_time(c.at, s.granted_at, v_now)),
               lease_until = case when not s.is_started and v_now > s.granted_at + g.deadline_slack / 2
                                  then v_now + s.timeout + g.deadline_slack else s.lease_until end
          from unnest(p_changes) c, settings g
         where s.job_id = c.job_id and s.job_attempt = 1 and s.name = c.step and s.finished_at is null
        returning s.job_id, s.status
    )
    select array_agg(distinct b.job_id) into v_jobs from begun b where b.status = 'running';
    return fn_start_distributed_jobs(v_jobs);
end $$;
