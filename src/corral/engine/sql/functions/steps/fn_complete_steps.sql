-- Report on steps under their leases, without events. The arrays are parallel, but one job or one status stands for all; p_details is null or a list, as long, of
-- {output, error_message, failure_reason, skip_cause, retryable} or null. A status is running, succeeded, failed, skipped or
-- cancelled (given up: back to its queue). Answers each, in the order given: applied; duplicate, if the same token brought the same
-- end before; or stale, which changes nothing.
-- Locks jobs in key order, then steps that are ready again, then what fn_conclude_jobs locks. Raises CR002 invalid_request.
create or replace function corral.fn_complete_steps(
    p_node_id text, p_job_ids uuid[], p_steps text[], p_tokens uuid[], p_statuses text[], p_details jsonb)
returns text[]
language plpgsql volatile
set search_path = corral, pg_catalog
as $$
declare
    v_count     integer := coalesce(cardinality(p_tokens), 0);
    v_places    integer[] := '{}';
    v_changes   job_change[];
    v_news      job_ended[];
    v_outcomes  text[];
    v_began     step_change[];
    v_ended     step_change[];
    v_effects   job_effects;
    v_is_late   boolean;
begin
    if not (p_statuses <@ '{running,succeeded,failed,skipped,cancelled}'::text[]) or array_position(p_statuses, null) is not null then
        raise exception 'status must be running, succeeded, failed, skipped or cancelled' using errcode = 'CR002', detail = 'status';
    end if;
    perform fn_lock_jobs(p_job_ids);
    if cardinality(p_job_ids) = 1 then
        p_job_ids := array_fill(p_job_ids[1], array[v_count]);
    end if;
    if cardinality(p_statuses) = 1 then
        p_statuses := array_fill(p_statuses[1], array[v_count]);
    end if;

    if (select count(distinct u.lease_token) from unnest(p_tokens) as u (lease_token)) = v_count then
        select coalesce(f.places, '{}'), f.changes, f.news into v_places, v_changes, v_news
          from fn_finish_steps(p_node_id, p_job_ids, p_steps, p_tokens, p_statuses, p_details) f;
        if cardinality(v_places) = v_count then
            perform fn_conclude_jobs(v_changes, v_news);
            return array_fill('applied'::text, array[v_count]);
        end if;
    end if;

    -- Judged a second time where a step is ready again: then only under its lock, since claims do not take its job's.
    for v_try in 1..2 loop
        with judged as materialized (
            select s.status = 'ready' as is_late, u.place, u.job_id, u.step, u.status, p_details -> (u.place - 1)::integer as body,
                   u.place = any (v_places) as is_done,
                   case when u.place = any (v_places) then 'applied'
                        when s.lease_token is null then 'stale'
                        when s.finished_at is null
                             and row_number() over (partition by u.job_id, u.step, u.status = 'running' order by u.place) = 1 then 'applied'
                        when s.status = u.status then 'duplicate'
                        else 'stale' end as outcome
              from unnest(p_job_ids, p_steps, p_tokens, p_statuses) with ordinality as u (job_id, step, lease_token, status, place)
              left join job_steps s on s.job_id = u.job_id and s.job_attempt = 1 and s.name = u.step
                                   and s.lease_token = u.lease_token and s.lease_owner = p_node_id
        ), changes as (
            select g.is_late, g.outcome, g.place, g.status = 'running' as is_start,
                   case when g.outcome = 'applied' and not g.is_done then
                       row(g.job_id, g.step, case when g.status = 'cancelled' then 'ready' else g.status end,
                           case when g.status = 'cancelled' then 'interrupted' else 'finished' end,
                           fn_one_of(g.body ->> 'skip_cause', '{draw,when}'), g.body ->> 'failure_reason', g.body ->> 'error_message',
                           nullif(g.body -> 'output', 'null'), null, null, null,
                           coalesce(g.body ->> 'retryable', 'true') <> 'false'
                               and coalesce(g.body ->> 'failure_reason', '') <> 'template_error')::step_change end as change
              from judged g
        )
        select array_agg(c.outcome order by c.place), array_agg(c.change) filter (where c.change is distinct from null and c.is_start),
               array_agg(c.change) filter (where c.change is distinct from null and not c.is_start),
               bool_or(c.is_late)
          into v_outcomes, v_began, v_ended, v_is_late
          from changes c;
        exit when not coalesce(v_is_late, false);
        perform fn_lock_late_steps(p_job_ids, p_steps, p_tokens);
    end loop;

    v_news := v_news || fn_begin_steps(v_began);
    v_effects := fn_conclude_steps(v_ended);
    perform fn_conclude_jobs(v_changes || v_effects.changes, v_news || v_effects.news);
    return coalesce(v_outcomes, '{}');
end $$;
