-- Count jobs that ended, went back to their queue or moved on: on their run's stripe, and in the hour's statistics,
-- but for sessions, which are no work. p_has_ends: whether any of them may have ended, since the hours count nothing else.
-- Called by fn_conclude_jobs. Locks stripes in key order.
create or replace function corral.fn_count_jobs(p_ended corral.job_ended[], p_has_ends boolean) returns void
language plpgsql volatile
set search_path = corral, pg_catalog
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_mergejoin = off set enable_nestloop = on
as $$
begin
    insert into run_versions as v (run_id, stripe, leased, succeeded, failed, cancelled, skipped_offline,
                                   last_error_message, last_error_at)
    select e.run_id, fn_stripe(e.node_id), -count(*) filter (where e.was_live),
           count(*) filter (where e.status = 'succeeded'), count(*) filter (where e.status = 'failed'),
           count(*) filter (where e.status = 'cancelled'), count(*) filter (where e.status = 'skipped_offline'),
           max(coalesce(e.error_message, e.failure_reason)) filter (where e.status = 'failed'),
           case when bool_or(e.status = 'failed') then fn_now() end
      from unnest(p_ended) e
     group by 1, 2
     order by 1, 2
    on conflict (run_id, stripe) do update
       set version = v.version + 1,
           leased = v.leased + excluded.leased,
           succeeded = v.succeeded + excluded.succeeded,
           failed = v.failed + excluded.failed,
           cancelled = v.cancelled + excluded.cancelled,
           skipped_offline = v.skipped_offline + excluded.skipped_offline,
           last_error_message = coalesce(excluded.last_error_message, v.last_error_message),
           last_error_at = coalesce(excluded.last_error_at, v.last_error_at);

    if not p_has_ends then
        return;
    end if;
    insert into hourly_stats as s (hour, stripe, outcome, duration_bucket, jobs)
    select date_trunc('hour', fn_now()), fn_stripe(e.node_id), coalesce(e.failure_reason, e.status),
           round(4 * ln(greatest(coalesce(e.took_s, 0), 0.01)) / ln(2.0::double precision))::smallint, count(*)
      from unnest(p_ended) e
     where e.status not in ('queued', 'running', 'noted')
       and not exists (select 1 from device_sessions s where s.run_id = e.run_id)
     group by 1, 2, 3, 4
     order by 1, 3, 4, 2
    on conflict (hour, outcome, duration_bucket, stripe) do update set jobs = s.jobs + excluded.jobs;
end $$;
