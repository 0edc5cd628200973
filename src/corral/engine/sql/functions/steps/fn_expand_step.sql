-- Replace a step that repeats for each item by its repetitions: p_children are steps as fn_add_steps takes them. The step itself then
-- waits for all of them and needs no capability: whoever claims it next collects what they yielded. Called by the server for the
-- holder of the step's lease, which ends by it; its attempt is not counted. Answers whether it was done: not where the token is not the
-- current one any more, or the run is being cancelled. Locks the job, then ready steps of a capped run, then the run's
-- stripe. Raises what fn_add_steps raises.
create or replace function corral.fn_expand_step(
    p_node_id text, p_job_id uuid, p_step text, p_lease_token uuid, p_children jsonb)
returns boolean
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_names  text[] := array(select c ->> 'name' from jsonb_array_elements(p_children) c);
begin
    perform fn_lock_jobs(array[p_job_id]);
    if not exists (select 1 from job_steps s join jobs j on j.job_id = s.job_id join runs r on r.run_id = j.run_id
                    where s.job_id = p_job_id and s.job_attempt = 1 and s.name = p_step and s.status = 'running'
                      and s.lease_token = p_lease_token and s.lease_owner = p_node_id
                      and r.cancel_requested_at is null and j.finished_at is null) then
        return false;
    end if;
    perform fn_record_step_leases(array[p_job_id], array[p_node_id], array[p_lease_token]);
    perform fn_add_steps(p_job_id, p_children);
    insert into step_needs (job_id, needed, step) select p_job_id, n.name, p_step from unnest(v_names) as n (name);
    update job_steps s
       set status = 'pending', needs = s.needs || v_names, pending_needs = cardinality(v_names), unmet_needs = 0, requires = '{}',
           demand_id = (select d.demand_id from demands d where d.requires = '{}'), max_attempts = 1,
           input = jsonb_build_object('items', cardinality(v_names)), is_started = false, lease_token = null, lease_until = null,
           request_id = null, ready_seq = null, ready_at = null
     where s.job_id = p_job_id and s.job_attempt = 1 and s.name = p_step;
    update leases l set ended_at = fn_now(), ending = 'finished'
     where l.job_id = p_job_id and l.lease_token = p_lease_token and l.ended_at is null;
    perform fn_admit_steps(array[p_job_id]);
    perform fn_conclude_jobs('{}', fn_list_job_news(array[p_job_id]));
    return true;
end $$;
