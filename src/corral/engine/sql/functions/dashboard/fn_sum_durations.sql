-- How many jobs ended since then, which part of those that were executed succeeded, and how long executed jobs took: the median and the
-- 95th percentile, as exact as the buckets are (each spans a factor of 2^(1/4)). Null where nothing was executed.
-- Jobs that were cancelled or skipped were not executed; those that failed before they started took no time that could be told.
-- Called by fn_get_dashboard. Reads hourly statistics only; the first hour counts whole.
create or replace function corral.fn_sum_durations(
    p_since timestamptz, out ended bigint, out success_rate double precision, out median_s double precision, out p95_s double precision)
language sql stable
set search_path = corral, pg_catalog
as $$
    with buckets as materialized (
        select s.outcome, s.duration_bucket, sum(s.jobs) as jobs
          from hourly_stats s where s.hour >= date_trunc('hour', p_since) group by 1, 2
    ), timed as (
        select b.duration_bucket, sum(sum(b.jobs)) over (order by b.duration_bucket) as until_here, sum(sum(b.jobs)) over () as of_all
          from buckets b
         where b.outcome not in ('cancelled', 'skipped_offline') and b.duration_bucket > round(4 * log(2, 0.01))
         group by b.duration_bucket
    )
    select (select coalesce(sum(b.jobs), 0)::bigint from buckets b),
           (select round(coalesce(sum(b.jobs) filter (where b.outcome = 'succeeded'), 0) / nullif(sum(b.jobs), 0), 4)::double precision
              from buckets b where b.outcome not in ('cancelled', 'skipped_offline')),
           (select round(power(2, min(t.duration_bucket) / 4.0)::numeric, 2)::double precision
              from timed t where t.until_here >= t.of_all * 0.5),
           (select round(power(2, min(t.duration_bucket) / 4.0)::numeric, 2)::double precision
              from timed t where t.until_here >= t.of_all * 0.95)
$$;
