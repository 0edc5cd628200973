-- Report on steps under their leases, without events: p_results is a list of {job_id, step, lease_token, status, output, error_message,
-- failure_reason, skip_cause, retryable}; status is running, succeeded, failed, skipped or cancelled (given up: back to its queue).
-- Answers each, in the order given: applied; duplicate, if the same token brought the same end before; or stale, which changes nothing.
-- Locks jobs in key order, then steps that are ready again, then what fn_conclude_jobs locks. Raises CR002 invalid_request.
create or replace function corral.fn_complete_steps(p_node_id text, p_results jsonb)
returns table (job_id uuid, step text, outcome text)
language plpgsql volatile rows 50
set search_path = corral, pg_catalog
as $$
#variable_conflict use_column
declare
    v_jobs      uuid[];
    v_steps     text[];
    v_tokens    uuid[];
    v_statuses  text[];
    v_outcomes  text[];
    v_began     step_change[];
    v_ended     step_change[];
    v_news      job_ended[];
    v_effects   job_effects;
    v_is_late   boolean;
begin
    select array_agg(r.job_id order by r.place), array_agg(r.step order by r.place), array_agg(r.lease_token order by r.place),
           array_agg(r.status order by r.place)
      into v_jobs, v_steps, v_tokens, v_statuses
      from rows from (jsonb_to_recordset(p_results) as (job_id uuid, step text, lease_token uuid, status text))
           with ordinality as r (job_id, step, lease_token, status, place);
    if exists (select 1 from unnest(v_statuses) as u (status)
                where u.status is null or u.status not in ('running', 'succeeded', 'failed', 'skipped', 'cancelled')) then
        raise exception 'status must be running, succeeded, failed, skipped or cancelled' using errcode = 'CR002', detail = 'status';
    end if;
    perform fn_lock_jobs(array(select distinct u from unnest(v_jobs) u));

    -- Judged a second time where a step is ready again: then only under its lock, since claims do not take its job's.
    for v_try in 1..2 loop
        with judged as materialized (
            select s.status = 'ready' as is_late, u.place, u.job_id, u.step, u.status, p_results -> (u.place - 1)::integer as body,
                   case when s.lease_token is null then 'stale'
                        when s.finished_at is null
                             and row_number() over (partition by u.job_id, u.step, u.status = 'running' order by u.place) = 1 then 'applied'
                        when s.status = u.status then 'duplicate'
                        else 'stale' end as outcome
              from unnest(v_jobs, v_steps, v_tokens, v_statuses) with ordinality as u (job_id, step, lease_token, status, place)
              left join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
                                   and s.lease_token = u.lease_token and s.lease_owner = p_node_id
        ), changes as (
            select g.is_late, g.outcome, g.place, g.status = 'running' as is_start,
                   case when g.outcome = 'applied' then
                       row(g.job_id, g.step, case when g.status = 'cancelled' then 'ready' else g.status end,
                           case when g.status = 'cancelled' then 'interrupted' else 'finished' end,
                           fn_one_of(g.body ->> 'skip_cause', '{draw,when}'), g.body ->> 'failure_reason', g.body ->> 'error_message',
                           nullif(g.body -> 'output', 'null'), null, null, null,
                           coalesce(g.body ->> 'retryable', 'true') <> 'false'
                               and coalesce(g.body ->> 'failure_reason', '') <> 'template_error')::step_change end as change
              from judged g
        )
        select array_agg(c.outcome order by c.place), array_agg(c.change) filter (where c.outcome = 'applied' and c.is_start),
               array_agg(c.change) filter (where c.outcome = 'applied' and not c.is_start),
               bool_or(c.is_late)
          into v_outcomes, v_began, v_ended, v_is_late
          from changes c;
        exit when not coalesce(v_is_late, false);
        perform fn_lock_late_steps(v_jobs, v_steps, v_tokens);
    end loop;

    v_news := fn_begin_steps(v_began);
    v_effects := fn_conclude_steps(v_ended);
    perform fn_conclude_jobs(v_effects.changes, v_news || v_effects.news);
    return query
        select u.job_id, u.step, u.outcome
          from unnest(v_jobs, v_steps, v_outcomes) with ordinality as u (job_id, step, outcome, place) order by u.place;
end $$;
