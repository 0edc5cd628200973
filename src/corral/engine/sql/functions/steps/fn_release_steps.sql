-- Give back running steps whose leases infrastructure lost: they are ready again, in their old place, and keep their token, so that an
-- honest late result still counts until somebody else claims the step. Called by fn_take_back_leases, which holds the jobs' locks.
-- Returns the jobs that ended thereby: steps fail when their attempts are spent.
create or replace function corral.fn_release_steps(p_tokens uuid[], p_ending text) returns corral.job_change[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
begin
    return (fn_conclude_steps(array(
        select row(s.job_id, s.name, 'ready', p_ending, null, null,
                   format('attempt %s was lost: %s', greatest(s.attempt, 1), replace(p_ending, '_', ' ')),
                   null, null, null, null, false)::step_change
          from job_steps s
         where s.status = 'running' and s.lease_token = any (p_tokens)))).changes;
end $$;
