-- The one place where steps of distributed jobs end or go back to their queue. Ends their leases (that of a success stays on the step's
-- row, unless something was kept under it), tells their dependents, counts down
-- their jobs. A change to 'ready' is a loss of infrastructure: the step keeps its place and its token (an honest late result still
-- counts until the step is claimed again), and fails (node_lost) when its attempts are spent. A failure that may be
-- retried goes back to the queue's tail, after its backoff, as long as attempts remain. In a cancelled run, what would wait ends.
-- The word of a node counts as a start: attempts are counted then (rule 7). Ended steps are left as they are.
-- Called under the locks of the jobs, and of those steps that are ready: claims take them without the job. Returns the jobs that
-- ended thereby, for fn_conclude_jobs, and all that moved.
create or replace function corral.fn_conclude_steps(p_changes corral.step_change[]) returns corral.job_effects
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off
set enable_mergejoin = off set enable_hashjoin = off
as $$
declare
    v_now      timestamptz := fn_now();
    v_jobs     uuid[];
    v_steps    text[];
    v_unmet    boolean[];
    v_owners   text[];
    v_started  uuid[];
    v_gated    boolean;
    v_quiet    uuid[];
    v_effects  job_effects;
begin
    if coalesce(cardinality(p_changes), 0) = 0 then
        return row('{}', '{}')::job_effects;
    end if;

    -- Looked up by key, one by one, whatever the statistics say: see fn_finish_steps.
    with judged as (
        select c.job_id, c.step, c.status, c.ending, c.skip_cause, c.failure_reason, c.error_message, c.output, c.seq, c.started_at, c.at,
               c.is_retryable, s.lease_token as token, c.status <> 'ready' and c.ending is not distinct from 'finished' as is_word,
               s.attempt + case when s.is_started or c.status = 'ready' or c.ending is distinct from 'finished' then 0 else 1 end as tries,
               s.max_attempts, s.is_started,
               case when s.is_repeatable then greatest(s.max_attempts, j.max_attempts) else 1 end as max_losses,
               r.cancel_requested_at is not null as is_cancelled, j.is_gated, s.job_attempt
          from (select u.*, 1 as job_attempt from unnest(p_changes) u offset 0) c
          join job_steps s on s.job_id = c.job_id and s.job_attempt = c.job_attempt and s.name = c.step
          join jobs j on j.job_id = c.job_id
          join runs r on r.run_id = j.run_id
         where s.finished_at is null and not (c.status = 'ready' and s.status <> 'running')
    ), decided as materialized (
        select g.*, g.status = 'failed' and coalesce(g.is_retryable, false) and g.tries < g.max_attempts and not g.is_cancelled as is_retry,
               g.status = 'ready' and g.is_started and g.tries >= g.max_losses and not g.is_cancelled as is_spent
          from judged g
    ), moved as (
        update job_steps s
           set status = case when d.is_spent then 'failed' when d.is_retry then 'ready'
                             when d.status = 'ready' and d.is_cancelled then 'cancelled' else d.status end,
               attempt = d.tries,
               is_started = s.is_started or d.is_word,
               is_recorded = s.is_recorded or (d.token is not null and d.status <> 'succeeded'),
               state_seq = coalesce(d.seq, s.state_seq),
               lease_token = case when d.is_retry then null else s.lease_token end,
               ready_seq = case when d.is_retry then nextval('corral.step_ready') else s.ready_seq end,
               ready_at = case when d.is_retry or d.status = 'ready' then v_now else s.ready_at end,
               available_at = case when d.is_retry and s.backoff > '0'
                                   then v_now + fn_retry_delay(s.backoff, s.backoff_factor, s.backoff_max, s.backoff_jitter, d.tries) end,
               started_at = coalesce(s.started_at,
                                     case when d.is_word then fn_clamp_time(coalesce(d.started_at, d.at), s.granted_at, v_now) end),
               finished_at = case when d.is_retry or (d.status = 'ready' and not d.is_spent and not d.is_cancelled) then null
                                  else fn_clamp_time(d.at, s.granted_at, v_now) end,
               decision = coalesce(s.decision, case when d.status = 'skipped' then 'skip' when d.is_word then 'execute' end),
               skip_cause = case when d.status = 'skipped' then coalesce(d.skip_cause, 'when') end,
               output = coalesce(d.output, s.output),
               failure_reason = case when d.is_spent then 'node_lost' when d.status = 'failed' then fn_known_reason(d.failure_reason) end,
               error_message = case when d.status in ('failed', 'ready') then coalesce(d.error_message, s.error_message) end
          from decided d
         where s.job_id = d.job_id and s.job_attempt = d.job_attempt and s.name = d.step
        returning s.job_id, s.name, s.finished_at is not null as is_over, s.attempt > 0 as is_begun, s.lease_owner, d.token, d.ending, d.is_gated,
                  case when s.is_started then s.attempt else s.attempt + 1 end as attempt, s.granted_at, s.is_recorded,
                  fn_is_unmet(s.status, s.skip_cause, s.continue_on_failure) as is_unmet
    ), closed as (
        insert into leases as l (job_id, lease_token, step, attempt, node_id, granted_at, ended_at, ending)
        select m.job_id, m.token, m.name, m.attempt, m.lease_owner, m.granted_at, v_now, coalesce(m.ending, 'released')
          from moved m
         where m.token is not null and m.is_recorded
         order by m.job_id, m.token
        on conflict (job_id, lease_token) do update set ended_at = excluded.ended_at, ending = excluded.ending where l.ended_at is null
    )
    select coalesce(array_agg(m.job_id) filter (where m.is_over), '{}'), array_agg(m.name) filter (where m.is_over),
           array_agg(m.is_unmet) filter (where m.is_over), array_agg(m.lease_owner) filter (where m.is_over),
           coalesce(array_agg(distinct m.job_id) filter (where m.is_begun), '{}'), bool_or(m.is_gated),
           array_agg(distinct m.job_id) filter (where not (m.is_over and m.is_begun))
      into v_jobs, v_steps, v_unmet, v_owners, v_started, v_gated, v_quiet
      from moved m;

    v_effects := fn_count_down_jobs(v_jobs, v_steps, v_unmet, v_owners, v_started);
    if v_quiet is not null then
        v_effects.news := v_effects.news || fn_list_job_news(v_quiet);
    end if;
    if v_gated then
        perform fn_admit_steps(array(select distinct c.job_id from unnest(p_changes) c));
    end if;
    return v_effects;
end $$;
