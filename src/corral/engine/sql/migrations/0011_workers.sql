-- What distributed steps ask of their retries, and whether a lost one may be done again.

alter table corral.job_steps
    add column backoff_factor  double precision not null default 2 check (backoff_factor >= 1),
    add column backoff_max     interval not null default '1 hour',
    add column backoff_jitter  double precision not null default 0 check (backoff_jitter between 0 and 1),
    add column is_repeatable   boolean not null default true;
comment on column corral.job_steps.available_at is 'When a ready step may be claimed: after its backoff, or (infinity) when its capped run has a place.';
comment on column corral.job_steps.is_repeatable is 'Whether it is done again when its worker was lost while it ran.';

create index jobs_by_log_path on corral.jobs (log_path) where log_path is not null;
