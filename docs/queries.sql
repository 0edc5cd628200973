-- How the engine behaves, to be tried by hand:
--
--     psql -X -f docs/queries.sql "$DATABASE_URL"
--
-- Needs a freshly migrated database (a scratch one: rows are locked while this runs) and leaves it as it was, because
-- everything happens in one transaction that is rolled back. Each check prints its sentence and ok = t; the first that
-- does not hold ends the script with an error. A test runs this file, so what it says is so.
--
-- corral.fn_now() is the time at which the transaction began, so no time passes here. Where time would have to pass, the
-- script moves an instant into the past by hand. That is for demonstrations: nothing else may write to the tables.

\set ON_ERROR_STOP on
\set QUIET on
\pset pager off
\pset footer off
begin;

create function pg_temp.expect(p_holds boolean) returns boolean language plpgsql as $$
begin
    if p_holds is not true then
        raise exception 'the expectation does not hold';
    end if;
    return true;
end $$;

-- An event as a node sends it.
create function pg_temp.event(p_job uuid, p_token uuid, p_seq bigint, p_type text, p_more jsonb default '{}') returns jsonb
language sql volatile as $$
    select jsonb_build_object('node_id', 'demo-node', 'event_id', gen_random_uuid(), 'job_id', p_job, 'lease_token', p_token,
                              'seq', p_seq, 'type', p_type) || p_more
$$;

-- As if upkeep had ticked for long enough: otherwise no verdict is passed, and nothing below would expire.
update corral.upkeep set last_tick_at = corral.fn_now(), verdicts_from = corral.fn_now() - interval '1 day', silence_since = null;

\echo
\echo '== A farm: one node, three devices, one run on each of them'
select epoch from corral.fn_register_node('demo-node', 'Demo', '{}', '{}', 2, 1, '0', '{}', 'the first state directory') \gset
select corral.fn_report_devices('demo-node', :epoch,
           '[{"serial": "DEMO-A"}, {"serial": "DEMO-B"}, {"serial": "DEMO-C"}]', true) as reported \gset
select workflow_id from corral.fn_create_workflow('demo', 'device', '{"name": "demo", "steps": []}', 'you') \gset
select run_id from corral.fn_create_run(:'workflow_id', '{"target": {"nodes": ["demo-node"]}}', 'you') \gset
select jobs_made, is_done from corral.fn_fan_out_run(:'run_id') \gset
select 'fan-out makes one job per device of the target' as expectation, pg_temp.expect(:jobs_made = 3 and :'is_done') as ok;

\echo
\echo '== Pull'
select gen_random_uuid() as request \gset
select * from corral.fn_pull_job('demo-node', :epoch, 1, :'request') \gset a_
select 'a pull leases the head of a lane, with a token and a fence' as expectation,
       pg_temp.expect(:'a_lease_token' is not null and :a_fence = 1 and :a_attempt = 1) as ok;
select 'the same request again gets the same grant: a lost reply loses nothing' as expectation,
       pg_temp.expect(lease_token = :'a_lease_token') as ok
  from corral.fn_pull_job('demo-node', :epoch, 1, :'request');
select * from corral.fn_pull_job('demo-node', :epoch, 1, gen_random_uuid()) \gset b_
select 'another request gets another device' as expectation, pg_temp.expect(:'b_device_id' <> :'a_device_id') as ok;
select * from corral.fn_pull_job('demo-node', :epoch, 5, gen_random_uuid()) \gset c_
select 'no device is leased twice, however much is wanted' as expectation, pg_temp.expect(count(*) = 0) as ok
  from corral.fn_pull_job('demo-node', :epoch, 5, gen_random_uuid());

\echo
\echo '== A duplicate event, and an invalid one beside a good one'
select pg_temp.event(:'a_job_id', :'a_lease_token', 1, 'job_started') as started \gset
select 'the first time an event is applied' as expectation, pg_temp.expect(outcome = 'applied') as ok
  from corral.fn_apply_node_events(jsonb_build_array(:'started'::jsonb));
select 'the second time it is a duplicate' as expectation, pg_temp.expect(outcome = 'duplicate') as ok
  from corral.fn_apply_node_events(jsonb_build_array(:'started'::jsonb));
select 'and the attempt was counted once' as expectation, pg_temp.expect(status = 'running' and attempt = 1) as ok
  from corral.job_states where job_id = :'a_job_id';
select 'one bad event does not spoil its batch' as expectation,
       pg_temp.expect(array_agg(outcome) = '{invalid,applied,applied}') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'a_job_id', :'a_lease_token', 2, 'no_such_type'),
           pg_temp.event(:'b_job_id', :'b_lease_token', 1, 'job_started'),
           pg_temp.event(:'c_job_id', :'c_lease_token', 1, 'job_started')));

\echo
\echo '== A finished job; a late word after its end'
select 'the end of a job is applied' as expectation, pg_temp.expect(outcome = 'applied') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'a_job_id', :'a_lease_token', 3, 'job_finished', '{"outcome": "succeeded"}')));
select 'a later word of the same lease is stale' as expectation, pg_temp.expect(outcome = 'stale') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'a_job_id', :'a_lease_token', 4, 'job_finished', '{"outcome": "failed"}')));
select 'and changes nothing' as expectation, pg_temp.expect(status = 'succeeded') as ok
  from corral.job_states where job_id = :'a_job_id';

\echo
\echo '== An expired lease: the node falls silent with two jobs in its hands'
update corral.nodes set lease_until = corral.fn_now() - interval '1 s' where node_id = 'demo-node';
select node_id from corral.fn_list_silent_nodes() as silent (node_id) \gset
select corral.fn_expire_leases(:'node_id') as expired \gset
select 'both leases are taken back' as expectation, pg_temp.expect(:'node_id' = 'demo-node' and :expired = 2) as ok;
select 'the jobs wait again and keep their tokens' as expectation,
       pg_temp.expect(bool_and(status = 'queued' and lease_token is not null)) as ok
  from corral.job_states where job_id in (:'b_job_id', :'c_job_id');
select 'an honest result that was only late still counts: nobody else has the job yet' as expectation,
       pg_temp.expect(outcome = 'applied') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'b_job_id', :'b_lease_token', 2, 'job_finished', '{"outcome": "succeeded"}')));
select 'the node comes back and hears which leases it lost' as expectation,
       pg_temp.expect(:'c_lease_token' = any (lost)) as ok
  from corral.fn_heartbeat('demo-node', :epoch, array[:'c_lease_token']::uuid[]);

\echo
\echo '== A late callback: the job was granted again meanwhile'
select * from corral.fn_pull_job('demo-node', :epoch, 1, gen_random_uuid()) \gset d_
select 'the job comes back with another token, a higher fence and the next attempt' as expectation,
       pg_temp.expect(:'d_job_id' = :'c_job_id' and :'d_lease_token' <> :'c_lease_token' and :d_fence > :c_fence and :d_attempt = 2)
           as ok;
select 'the old token ends nothing' as expectation, pg_temp.expect(outcome = 'stale') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'c_job_id', :'c_lease_token', 9, 'job_finished', '{"outcome": "failed"}')));
select 'but its log lines are kept, under the attempt that wrote them' as expectation,
       pg_temp.expect((select outcome = 'applied' from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'c_job_id', :'c_lease_token', 10, 'log', '{"lines": [{"message": "still here"}]}'))))) as ok;
select 'that is attempt 1' as expectation, pg_temp.expect(attempt = 1) as ok
  from corral.log_lines where job_id = :'c_job_id';

\echo
\echo '== A stale epoch: a second agent registers under the same name, from another state directory'
select epoch as new_epoch, requeued
  from corral.fn_register_node('demo-node', 'Demo', '{}', '{}', 2, 1, '0', '{}', 'another state directory') \gset
select 'without proof that the first is dead, its leases are left alone' as expectation,
       pg_temp.expect(:new_epoch = :epoch + 1 and :requeued = 0) as ok;
savepoint before_refusal;
\set ON_ERROR_STOP off
\echo '(an error is expected here)'
select * from corral.fn_pull_job('demo-node', :epoch, 1, gen_random_uuid());
\set refused_with :LAST_ERROR_SQLSTATE
\set ON_ERROR_STOP on
rollback to before_refusal;
select 'the first agent may not pull any more: CR101' as expectation, pg_temp.expect(:'refused_with' = 'CR101') as ok;
select 'yet what it had under way may end: events are fenced by token, never by epoch' as expectation,
       pg_temp.expect(outcome = 'applied') as ok
  from corral.fn_apply_node_events(jsonb_build_array(
           pg_temp.event(:'d_job_id', :'d_lease_token', 1, 'job_finished', '{"outcome": "succeeded"}')));

\echo
\echo '== The books'
select 'the run ended with its last job' as expectation, pg_temp.expect(status = 'succeeded' and succeeded = 3) as ok
  from corral.run_states where run_id = :'run_id';
select 'no invariant is broken' as expectation, pg_temp.expect(count(*) = 0) as ok from corral.fn_check_invariants();

rollback;
