-- Add steps to a distributed job: one insert, however many. p_steps is a list of {name, title, description, action, spec, input,
-- channel_id, needs, requires, priority, claim_rank, position, continue_on_failure, max_attempts, backoff_s, backoff_factor,
-- backoff_max_s, backoff_jitter, is_repeatable, timeout_s, probability};
-- only name must be given. A step may need others of the list or of the job. Those that need nothing open are ready at once, in the
-- order given. Called by whatever makes steps, which then lets the run's version grow, if the run is not new itself.
-- Locks the job, then ready steps of a capped run. Raises CR001 not_found, CR002 invalid_request with the path, CR003 conflict.
-- Returns how many were made.
create or replace function corral.fn_add_steps(p_job_id uuid, p_steps jsonb) returns integer
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_now      timestamptz := fn_now();
    v_job      jobs;
    v_made     integer;
    v_ended    text[];
    v_jobs     uuid[] := '{}';
begin
    select j.* into v_job from jobs j where j.job_id = p_job_id for no key update;
    if v_job.job_id is null then
        raise exception 'no job %', p_job_id using errcode = 'CR001', detail = 'job_id';
    elsif v_job.mode <> 'distributed' then
        raise exception 'the steps of a device job are its node''s to report' using errcode = 'CR003';
    elsif v_job.finished_at is not null
          or exists (select 1 from runs r where r.run_id = v_job.run_id and r.cancel_requested_at is not null) then
        raise exception 'job % has ended or is being cancelled', p_job_id using errcode = 'CR003';
    end if;
    perform fn_check_steps(p_job_id, p_steps);

    insert into demands (requires)
    select distinct array(select distinct jsonb_array_elements_text(e.body -> 'requires') order by 1) as requires
      from jsonb_array_elements(p_steps) as e (body)
     where e.body ? 'requires' and jsonb_typeof(e.body -> 'requires') = 'array'
    except select d.requires from demands d
     order by 1
    on conflict (requires) do nothing;

    with given as materialized (
        select g.*, array(select distinct u from unnest(g.needs) u order by u) as all_needs,
               array(select distinct u from unnest(g.requires) u order by u) as demand
          from rows from (jsonb_to_recordset(p_steps) as (
                   name text, title text, description text, action text, spec jsonb, input jsonb, channel_id uuid, needs text[],
                   requires text[], priority integer, claim_rank smallint, position integer, continue_on_failure boolean,
                   max_attempts integer, backoff_s double precision, backoff_factor double precision, backoff_max_s double precision,
                   backoff_jitter double precision, is_repeatable boolean, timeout_s double precision, probability double precision))
               with ordinality as g (name, title, description, action, spec, input, channel_id, needs, requires, priority, claim_rank,
                                     position, continue_on_failure, max_attempts, backoff_s, backoff_factor, backoff_max_s, backoff_jitter, is_repeatable,
                                     timeout_s, probability, place)
    ), needed as (
        select g.place, count(*) filter (where o.finished_at is null)::integer as open,
               count(*) filter (where fn_is_unmet(o.status, o.skip_cause, o.continue_on_failure))::integer as unmet,
               max(o.lease_owner) as owner
          from given g cross join unnest(g.all_needs) as n (name)
          left join job_steps o on o.job_id = p_job_id and o.job_attempt = 1 and o.name = n.name
         group by g.place
    ), decided as materialized (
        select g.*, d.demand_id, coalesce(n.open, 0) as open, coalesce(n.unmet, 0) as unmet, n.owner,
               case when n.open > 0 then 'pending' when n.unmet > 0 and not coalesce(g.continue_on_failure, false) then 'skipped'
                    else 'ready' end as status
          from given g
          join demands d on d.requires = g.demand
          left join needed n on n.place = g.place
         order by g.place
    ), edges as (
        insert into step_needs (job_id, needed, step)
        select p_job_id, n.name, g.name from given g cross join unnest(g.all_needs) as n (name)
    ), made as (
        insert into job_steps (job_id, run_id, name, position, title, description, action, spec, input, channel_id, needs, pending_needs,
                               unmet_needs, requires, demand_id, priority, claim_rank, ready_seq, ready_at, continue_on_failure, status,
                               max_attempts, backoff, backoff_factor, backoff_max, backoff_jitter, is_repeatable, timeout, lease_owner, probability,
                               decision, skip_cause, created_at, finished_at)
        select p_job_id, v_job.run_id, d.name, coalesce(d.position, v_job.steps_total + d.place), d.title, d.description, d.action, d.spec, d.input,
               d.channel_id, d.all_needs, d.open, d.unmet, d.demand, d.demand_id, coalesce(d.priority, v_job.priority),
               coalesce(d.claim_rank, 1), case when d.status = 'ready' then nextval('corral.step_ready') end,
               case when d.status = 'ready' then v_now end, coalesce(d.continue_on_failure, false), d.status, coalesce(d.max_attempts, 1),
               make_interval(secs => coalesce(d.backoff_s, 0)), coalesce(d.backoff_factor, 2),
               make_interval(secs => coalesce(d.backoff_max_s, 3600)), coalesce(d.backoff_jitter, 0), coalesce(d.is_repeatable, true),
               coalesce(make_interval(secs => d.timeout_s), v_job.timeout), case when d.claim_rank = 0 then d.owner end, d.probability,
               case when d.status = 'skipped' then 'skip' end, case when d.status = 'skipped' then 'upstream' end, v_now,
               case when d.status = 'skipped' then v_now end
          from decided d
        returning name, status
    )
    select count(*), coalesce(array_agg(m.name) filter (where m.status = 'skipped'), '{}') into v_made, v_ended from made m;

    if v_ended <> '{}' then
        v_jobs := fn_promote_dependents(array_fill(p_job_id, array[cardinality(v_ended)]), v_ended,
                                        array_fill(true, array[cardinality(v_ended)]), array_fill(null::text, array[cardinality(v_ended)]));
    end if;
    v_made := coalesce(v_made, 0);
    update jobs j
       set steps_total = j.steps_total + v_made, steps_done = j.steps_done + cardinality(v_ended) + cardinality(v_jobs),
           open_steps = j.open_steps + v_made - cardinality(v_ended) - cardinality(v_jobs)
     where j.job_id = p_job_id;
    if v_job.is_gated then
        perform fn_admit_steps(array[p_job_id]);
    end if;
    return v_made;
end $$;
