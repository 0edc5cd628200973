-- Recount what the waiting steps of a job wait for, and ready those that wait for nothing. Whatever ends a step promotes its dependents
-- in the same transaction, so on a healthy job this finds nothing: it is for repairs, and for callers who drive a job by hand.
-- Locks the job, then what fn_conclude_jobs locks. Raises CR001 not_found. Returns the names of the steps that became ready.
create or replace function corral.fn_promote_ready_steps(p_job_id uuid) returns text[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_now      timestamptz := fn_now();
    v_waiting  text[];
    v_ended    text[];
    v_more     uuid[];
    v_over     uuid[];
    v_moved    integer;
begin
    perform 1 from jobs j where j.job_id = p_job_id for no key update;
    if not found then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    end if;
    v_waiting := array(select s.name from job_steps s where s.job_id = p_job_id and s.job_attempt = 1 and s.status = 'pending');
    with counted as (
        select s.name, count(o.name) filter (where o.finished_at is null)::integer as open,
               count(o.name) filter (where fn_is_unmet(o.status, o.skip_cause, o.continue_on_failure))::integer as unmet
          from job_steps s
          left join job_steps o on o.job_id = s.job_id and o.job_attempt = 1 and o.name = any (s.needs)
         where s.job_id = p_job_id and s.job_attempt = 1 and s.status = 'pending'
         group by s.name
    ), decided as materialized (
        select c.*, case when c.open > 0 then 'pending' when c.unmet > 0 and not s.continue_on_failure then 'skipped'
                         else 'ready' end as status
          from counted c join job_steps s on s.job_id = p_job_id and s.job_attempt = 1 and s.name = c.name
         where (s.pending_needs, s.unmet_needs) <> (c.open, c.unmet) or c.open = 0
         order by s.position
    ), moved as (
        update job_steps s
           set pending_needs = d.open, unmet_needs = d.unmet, status = d.status,
               ready_seq = case when d.status = 'ready' then nextval('corral.step_ready') end,
               ready_at = case when d.status = 'ready' then v_now end,
               finished_at = case when d.status = 'skipped' then v_now end,
               decision = case when d.status = 'skipped' then 'skip' end,
               skip_cause = case when d.status = 'skipped' then 'upstream' end
          from decided d
         where s.job_id = p_job_id and s.job_attempt = 1 and s.name = d.name
        returning s.name, s.status
    )
    select count(*), coalesce(array_agg(m.name) filter (where m.status = 'skipped'), '{}') into v_moved, v_ended from moved m;
    v_more := fn_promote_dependents(array_fill(p_job_id, array[cardinality(v_ended)]), v_ended,
                                    array_fill(true, array[cardinality(v_ended)]), array_fill(null::text, array[cardinality(v_ended)]));
    update jobs j
       set open_steps = j.open_steps - cardinality(v_ended) - cardinality(v_more),
           steps_done = j.steps_done + cardinality(v_ended) + cardinality(v_more)
     where j.job_id = p_job_id and cardinality(v_ended) > 0;
    v_over := array(select j.job_id from jobs j where j.job_id = p_job_id and j.finished_at is null and j.mode = 'distributed'
                       and j.steps_total > 0 and j.open_steps = 0 and not j.is_open);
    perform fn_admit_steps(array[p_job_id]);
    perform fn_conclude_jobs(fn_read_job_outcomes(v_over),
                             fn_list_job_news(array(select p_job_id where v_moved > 0 and v_over = '{}')));
    return array(select s.name from job_steps s
                  where s.job_id = p_job_id and s.job_attempt = 1 and s.status = 'ready' and s.name = any (v_waiting)
                  order by s.ready_seq);
end $$;
