-- The lease of a running step is on its own row; its place in the history of leases is written when it ends, or when something is
-- to be kept under it.

alter table corral.job_steps add column is_recorded boolean not null default false;
comment on column corral.job_steps.is_recorded is 'Of a step that runs or went back to its queue: whether its lease stands in leases already.';
update corral.job_steps set is_recorded = true where status = 'running' and lease_token is not null;
