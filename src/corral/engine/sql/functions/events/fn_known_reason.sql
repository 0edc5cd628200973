-- A failure reason of the closed list, or 'unknown' for a word that this version does not know: a newer node's failure must not be lost.
create or replace function corral.fn_known_reason(p_reason text) returns text
language sql immutable parallel safe
as $$
    select case when p_reason in ('device_offline', 'device_unauthorized', 'device_not_booted', 'device_unhealthy', 'step_timeout',
                                  'job_timeout', 'wait_timeout', 'action_failed', 'assertion_failed', 'tests_failed', 'template_error',
                                  'driver_error', 'upload_failed', 'node_lost', 'no_capable_node', 'step_failed', 'internal_error')
                then p_reason else 'unknown' end
$$;
