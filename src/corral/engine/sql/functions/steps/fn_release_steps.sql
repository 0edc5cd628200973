-- Give back running steps whose leases infrastructure lost: they are ready again, in their old place, and keep their token, so that an
-- honest late result still counts until somebody else claims the step. Called by fn_take_back_leases, which holds the jobs' locks.
-- Returns the jobs that ended thereby (steps fail when their attempts are spent, and an open chain ends with a task that did), and all
-- that moved.
create or replace function corral.fn_release_steps(p_tokens uuid[], p_ending text) returns corral.job_effects
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_changes  step_change[];
    v_effects  job_effects;
    v_over     uuid[];
begin
    v_changes := array(
        select row(s.job_id, s.name, 'ready', p_ending, null, null,
                   format('attempt %s was lost: %s', greatest(s.attempt, 1), replace(p_ending, '_', ' ')),
                   null, null, null, null, false)::step_change
          from job_steps s
         where s.status = 'running' and s.lease_token = any (p_tokens));
    v_effects := fn_conclude_steps(v_changes);
    with given_up as (
        update jobs j
           set is_open = false
          from chains c
         where j.job_id = c.chain_id and c.chain_id = any (array(select u.job_id from unnest(v_changes) u))
           and j.is_open and j.finished_at is null
           and exists (select 1 from job_steps s where s.job_id = j.job_id and s.job_attempt = 1 and s.status = 'failed')
        returning j.job_id, j.open_steps
    )
    select array_agg(g.job_id) into v_over from given_up g where g.open_steps = 0;
    v_effects.changes := v_effects.changes || fn_read_job_outcomes(v_over);
    return v_effects;
end $$;
