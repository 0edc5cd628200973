-- A step that succeeded keeps its last lease on its own row; leases gets it when something is to be kept under it.

comment on column corral.job_steps.is_recorded is 'Of a step that runs or succeeded: whether its lease stands in leases already. All others do.';
