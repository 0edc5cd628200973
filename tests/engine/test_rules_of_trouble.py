"""The thirteen rules of trouble (docs/concepts.md), the engine's side of each; rules 8 and 13 are the node's."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

from corral.model.errors import StaleEpochError
from tests.engine.farm import BEAT, LEASE_TIME, SECOND, Farm, artifact_key

HOUR = timedelta(hours=1)


# Rule 1: outage


async def test_an_hour_of_downtime_takes_nothing_from_anybody(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    waiting = await farm.given_run()

    await farm.clock.advance(HOUR)
    await farm.run_upkeep()
    await farm.pass_time(LEASE_TIME - BEAT)
    await farm.run_upkeep()

    assert (await farm.job(grant)).status == "running"
    assert (await farm.run(waiting.run_id)).waiting == 1


async def test_verdicts_are_passed_again_one_lease_time_after_an_outage(farm: Farm) -> None:
    _, grant = await farm.given_leased_job()

    await farm.clock.advance(HOUR)
    await farm.run_upkeep()
    await farm.pass_time(LEASE_TIME + SECOND)
    await farm.run_upkeep()

    assert (await farm.job(grant)).status == "queued"


async def test_a_gap_in_the_ticks_starts_the_waiting_anew(farm: Farm) -> None:
    await farm.pass_time(LEASE_TIME)
    assert (await farm.engine.upkeep.tick_upkeep()).verdicts_open

    await farm.clock.advance(timedelta(seconds=11))

    assert not (await farm.engine.upkeep.tick_upkeep()).verdicts_open


async def test_when_half_of_the_nodes_fall_silent_nothing_is_taken_from_them(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=1) for n in range(4)]
    run = await farm.given_run()
    grants = [(await node.pull())[0] for node in nodes]

    await farm.pass_time(LEASE_TIME * 3, nodes[0])
    tick = await farm.engine.upkeep.tick_upkeep()
    await farm.run_upkeep()

    assert (tick.verdicts_open, tick.silent_nodes, tick.silence_since is not None) == (False, 3, True)
    assert {(await farm.job(grant)).status for grant in grants} == {"leased"}
    assert (await farm.run(run.run_id)).leased == 4


async def test_verdicts_return_one_lease_time_after_the_silent_nodes_do(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=1) for n in range(4)]
    await farm.pass_time(LEASE_TIME * 2, nodes[0])

    await farm.pass_time(BEAT, *nodes)
    early = await farm.engine.upkeep.tick_upkeep()
    await farm.pass_time(LEASE_TIME, *nodes)
    late = await farm.engine.upkeep.tick_upkeep()

    assert (early.silence_since, early.verdicts_open, late.verdicts_open) == (None, False, True)


async def test_a_silence_that_outlasts_its_limit_is_judged_after_all(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=1) for n in range(2)]
    run = await farm.given_run()
    await nodes[0].pull()

    await farm.pass_time(HOUR + LEASE_TIME * 2)
    await farm.run_upkeep()

    assert (await farm.run(run.run_id)).status == "failed"


async def test_nodes_that_fall_silent_one_after_another_lose_nothing_either(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=1) for n in range(6)]
    run = await farm.given_run(repeatable=False)
    for node in nodes:
        await node.start(*await node.pull())
    for node in nodes:
        await farm.clock.advance(SECOND)
        await node.beat()
        await farm.engine.upkeep.tick_upkeep()

    for _ in range(90):
        await farm.clock.advance(SECOND)
        await farm.engine.upkeep.tick_upkeep()
        await farm.engine.upkeep.expire_leases()

    assert (await farm.run(run.run_id)).leased == 6


async def test_one_dead_node_of_two_is_not_a_mass_silence(farm: Farm) -> None:
    alive, dead = await farm.given_node("alive", devices=1), await farm.given_node("dead", devices=1)
    await farm.given_run()
    (grant,) = await dead.pull()

    await farm.pass_time(LEASE_TIME + SECOND, alive)
    assert await farm.engine.upkeep.expire_leases() == 1

    assert (await farm.job(grant)).status == "queued"


# Rule 2: partition


async def test_a_late_result_of_a_job_for_any_device_names_the_device_that_it_came_from(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    await farm.given_run({"any": 1})
    (grant,) = await node.pull()
    await node.start(grant)
    await farm.pass_time(timedelta(minutes=2))
    await farm.run_upkeep()
    assert (await farm.job(grant)).device_id is None

    (result,) = await node.finish(grant)

    assert result.outcome == "applied"
    assert (await farm.job(grant)).device_id == grant.device_id


async def test_a_late_result_counts_until_the_job_is_granted_again(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await farm.pass_time(LEASE_TIME + SECOND)
    await farm.engine.upkeep.expire_leases()
    assert (await farm.job(grant)).status == "queued"

    (result,) = await node.finish(grant)

    assert result.outcome == "applied"
    assert (await farm.job(grant)).status == "succeeded"
    assert await node.pull() == []


async def test_a_result_that_comes_after_a_new_grant_is_stale_and_kept_for_audit(farm: Farm) -> None:
    node, first = await farm.given_leased_job()
    await node.start(first)
    await farm.pass_time(LEASE_TIME + SECOND)
    await farm.engine.upkeep.expire_leases()
    (second,) = await node.pull()

    (result,) = await node.finish(first)

    assert (second.job_id, result.outcome) == (first.job_id, "stale")
    assert (await farm.job(second)).status == "leased"
    assert (
        await farm.value("select outcome from corral.node_events where event_id = $1::text::uuid", result.event_id)
        == "stale"
    )


async def test_an_interrupted_job_goes_back_to_the_head_of_its_queue(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await farm.given_run()
    await node.start(grant)

    await node.finish(grant, outcome="interrupted")

    (again,) = await node.pull()
    assert (again.job_id, again.attempt) == (grant.job_id, 2)


async def test_a_lost_job_is_not_skipped_while_its_result_may_be_under_way(farm: Farm) -> None:
    other = await farm.given_node("other", devices=1)
    node = await farm.given_node(devices=1)
    await farm.given_run({"nodes": ["node-1"]})
    (grant,) = await node.pull()
    await node.start(grant)
    await farm.pass_time(timedelta(minutes=5), other)
    await farm.run_upkeep()

    (result,) = await node.finish(grant)

    assert (result.outcome, (await farm.job(grant)).status) == ("applied", "succeeded")


async def test_a_lost_job_whose_node_does_not_come_back_fails_as_lost(farm: Farm) -> None:
    other = await farm.given_node("other", devices=1)
    node = await farm.given_node(devices=1)
    run = await farm.given_run({"nodes": ["node-1"]})
    (grant,) = await node.pull()
    await node.start(grant)

    await farm.pass_time(timedelta(minutes=12), other)
    await farm.run_upkeep()

    assert (await farm.job(grant)).failure_reason == "node_lost"
    assert (await farm.run(run.run_id)).status == "failed"


async def test_a_job_given_back_before_it_started_costs_no_attempt(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run(repeatable=False)
    (grant,) = await node.pull()

    await node.finish(grant, outcome="interrupted")

    (again,) = await node.pull()
    assert (again.job_id, again.attempt) == (grant.job_id, 1)
    assert (await farm.run(run.run_id)).status == "queued"


# Rule 3: reboot


async def test_a_reboot_from_the_same_state_directory_gives_its_work_back_at_once(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    again = await node.reboot()

    (regrant,) = await again.pull()
    assert (regrant.job_id, regrant.fence) == (grant.job_id, grant.fence + 1)


async def test_a_reboot_without_proof_waits_for_the_old_lease(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    again = await node.reboot(keeps_state=False)
    assert await again.pull() == []

    await farm.pass_time(LEASE_TIME + SECOND, again)
    assert await farm.engine.upkeep.expire_leases() == 1

    (regrant,) = await again.pull()
    assert regrant.job_id == grant.job_id


async def test_the_former_process_is_told_that_its_epoch_is_over(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await node.reboot()

    with pytest.raises(StaleEpochError):
        await node.beat()
    with pytest.raises(StaleEpochError):
        await node.pull()


async def test_callbacks_of_the_former_process_are_fenced_by_token_not_by_epoch(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await node.reboot(keeps_state=False)

    (result,) = await node.finish(grant)

    assert result.outcome == "applied"
    assert (await farm.job(grant)).status == "succeeded"


# Rule 4: lost grant


async def test_a_grant_unnamed_in_two_heartbeats_returns_at_no_cost(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    await node.beat(held=[])
    assert (await farm.job(grant)).status == "leased"
    await node.beat(held=[])

    (again,) = await node.pull()
    assert (again.job_id, again.attempt) == (grant.job_id, 1)


async def test_a_grant_named_in_between_is_not_lost(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()

    await node.beat(held=[])
    await node.beat()
    await node.beat(held=[])

    assert (await farm.job(grant)).status == "leased"


async def test_a_repeated_request_gets_the_grant_that_it_already_got(farm: Farm) -> None:
    node = await farm.given_node(devices=5)
    await farm.given_run()
    request_id = uuid4()

    first = await node.pull(3, request_id=request_id)
    again = await node.pull(3, request_id=request_id)

    assert len(first) == 3
    assert {grant.lease_token for grant in first} == {grant.lease_token for grant in again}


# Rule 5: offline


@pytest.mark.parametrize("trouble", [{"connection": "offline"}, {"health": "quarantined", "health_reason": "hot"}])
async def test_a_device_out_of_service_for_30_s_has_its_jobs_skipped(farm: Farm, trouble: dict[str, str]) -> None:
    node = await farm.given_node(devices=["a", "b"])
    run = await farm.given_run()
    second = await farm.given_run()
    await node.beat(devices=[{"serial": "a", **trouble}])

    await farm.pass_time(timedelta(seconds=25), node)
    assert await farm.engine.upkeep.skip_unavailable() == 0
    await farm.pass_time(BEAT, node)
    assert await farm.engine.upkeep.skip_unavailable() == 2

    assert [(await farm.run(r.run_id)).skipped_offline for r in (run, second)] == [1, 1]
    assert [grant.serial for grant in await node.pull()] == ["b"]


async def test_a_device_that_comes_back_in_time_is_not_skipped(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await farm.given_run()
    await node.beat(devices=[{"serial": "a", "connection": "offline"}])
    await farm.pass_time(timedelta(seconds=20), node)

    await node.beat(devices=[{"serial": "a", "connection": "connected"}])
    await farm.pass_time(timedelta(seconds=30), node)

    assert await farm.engine.upkeep.skip_unavailable() == 0
    assert len(await node.pull()) == 1


async def test_a_run_that_waits_for_offline_devices_does_not_wait_for_ever(farm: Farm) -> None:
    node = await farm.given_node(devices=["a"])
    await node.beat(devices=[{"serial": "a", "connection": "offline"}])
    run = await farm.given_run(policy={"offline": "wait", "wait_timeout_s": 600})

    await farm.pass_time(timedelta(seconds=590), node)
    assert await farm.engine.upkeep.skip_unavailable() == 0
    await farm.pass_time(BEAT * 2, node)
    assert await farm.engine.upkeep.skip_unavailable() == 1

    assert (await farm.run(run.run_id)).status == "failed"
    assert await farm.value("select failure_reason from corral.jobs") == "wait_timeout"


async def test_a_pool_that_finds_no_device_gives_up(farm: Farm) -> None:
    await farm.given_node(devices=1)
    run = await farm.given_run({"any": 1, "tags": ["tablet"]})

    await farm.pass_time(HOUR + BEAT)
    await farm.let_verdicts_open()
    await farm.engine.upkeep.time_out_pools()

    assert (await farm.run(run.run_id)).status == "failed"


async def test_jobs_on_a_draining_node_end_by_their_wait_timeout(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run(policy={"wait_timeout_s": 300})
    await farm.engine.nodes.drain_node(node.node_id)
    assert await node.pull() == []

    await farm.pass_time(timedelta(seconds=310), node)
    await farm.run_upkeep()

    assert (await farm.run(run.run_id)).status == "failed"


# Rule 6: cancel


async def test_a_cancel_ends_what_waits_and_asks_for_what_runs(farm: Farm) -> None:
    node = await farm.given_node(devices=3, max_concurrency=1, lookahead=0)
    run = await farm.given_run()
    (grant,) = await node.pull()

    await farm.engine.runs.cancel_run(run.run_id)

    state = await farm.run(run.run_id)
    assert (state.cancelled, state.leased, state.status) == (2, 1, "queued")
    assert await farm.engine.nodes.list_cancels(node.node_id) == [grant.lease_token]
    assert (await node.beat()).cancel == [grant.lease_token]


async def test_a_cancelled_job_ends_by_its_nodes_word(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await farm.engine.runs.cancel_run(grant.run_id)

    await node.finish(grant, outcome="cancelled")

    assert (await farm.run(grant.run_id)).status == "cancelled"


async def test_a_result_achieved_before_the_cancel_arrived_stands(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)
    await farm.engine.runs.cancel_run(grant.run_id)

    await node.finish(grant)

    assert (await farm.run(grant.run_id)).status == "succeeded"


async def test_a_cancelled_job_whose_node_dies_ends_with_its_lease(farm: Farm) -> None:
    other = await farm.given_node("other", devices=1)
    node = await farm.given_node(devices=1)
    run = await farm.given_run({"nodes": ["node-1"]})
    await node.pull()
    await farm.engine.runs.cancel_run(run.run_id)

    await farm.pass_time(LEASE_TIME + SECOND, other)
    await farm.run_upkeep()

    assert (await farm.run(run.run_id)).status == "cancelled"


async def test_a_word_of_cancelling_that_nobody_asked_for_gives_the_job_back(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)

    await node.finish(grant, outcome="cancelled")

    assert (await farm.job(grant)).status == "queued"


# Rule 7: attempts


async def test_an_attempt_counts_from_its_start_and_the_last_one_fails_the_job(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run(policy={"max_attempts": 2})
    grants = []
    for starts in (False, True, True):
        grants += await node.pull()
        if starts:
            await node.start(grants[-1])
        node = await node.reboot()

    assert [grant.attempt for grant in grants] == [1, 1, 2]
    job = await farm.job(grants[-1])
    assert (job.status, job.failure_reason, job.attempt) == ("failed", "node_lost", 2)
    assert (await farm.run(run.run_id)).status == "failed"


async def test_a_recipe_that_is_not_repeatable_gets_one_attempt(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await farm.given_run(repeatable=False)
    (grant,) = await node.pull()
    await node.start(grant)

    await node.reboot()

    assert (await farm.job(grant)).failure_reason == "node_lost"


async def test_the_second_attempt_keeps_the_evidence_of_the_first(farm: Farm) -> None:
    node, first = await farm.given_leased_job()
    await node.send(node.event(first, "step_started", step="look", position=1, total=1))
    await node.send(
        node.event(first, "log", lines=[{"message": "first"}]),
        node.event(first, "step_finished", step="look", position=1, status="failed", error_message="black picture"),
    )
    node = await node.reboot()
    (second,) = await node.pull()

    await node.send(
        node.event(second, "step_finished", step="look", position=1, status="succeeded"),
        node.event(second, "log", lines=[{"message": "second"}]),
    )

    rows = await farm.engine.database.fetch(
        "select job_attempt, status, error_message from corral.run_steps order by 1"
    )
    assert [tuple(row) for row in rows] == [(1, "failed", "black picture"), (2, "succeeded", None)]
    lines = await farm.engine.database.fetch("select attempt, message from corral.log_lines order by line_no")
    assert [tuple(row) for row in lines] == [(1, "first"), (2, "second")]


async def test_a_lost_job_keeps_its_place_in_its_queue_and_goes_to_the_end_of_the_round(farm: Farm) -> None:
    node = await farm.given_node(devices=["a", "b", "c"])
    await farm.given_run()
    later = await farm.given_run()
    (grant,) = await node.pull(1)

    node = await node.reboot()

    order = await node.pull(3)
    assert [g.serial for g in order] == ["b", "c", "a"]
    assert all(g.run_id != later.run_id for g in order)
    assert order[-1].job_id == grant.job_id


async def test_a_users_retry_is_a_new_run_on_what_did_not_succeed(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    run = await farm.given_run(params={"package": "x"}, seed="s")
    good, bad, worse = await node.pull()
    await node.finish(good)
    await node.finish(bad, worse, outcome="failed", failure_reason="action_failed", error_message="no such app")

    retry = await farm.engine.runs.retry_run(run.run_id)

    assert (retry.retry_of, retry.total_jobs, retry.params, retry.seed) == (
        run.run_id,
        2,
        {"package": "x"},
        "s",
    )
    assert {grant.device_id for grant in await node.pull()} == {bad.device_id, worse.device_id}


# Rule 9: events


async def test_a_lower_state_sequence_is_stale_and_the_end_heals_what_it_lost(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    early = node.event(grant, "step_finished", step="one", position=1, status="succeeded")
    late = node.event(grant, "step_started", step="two", position=2)
    await node.send(late)

    (result,) = await node.send(early)
    assert result.outcome == "stale"
    await node.finish(
        grant,
        steps=[
            {"step": "one", "position": 1, "status": "succeeded"},
            {"step": "two", "position": 2, "status": "succeeded"},
        ],
    )

    rows = await farm.engine.database.fetch("select step, status from corral.run_steps order by position")
    assert [tuple(row) for row in rows] == [("one", "succeeded"), ("two", "succeeded")]


async def test_steps_that_arrive_together_with_the_end_show_how_far_the_job_came(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.start(grant)

    await node.send(
        node.event(grant, "step_started", step="one", position=1, total=3),
        node.event(grant, "step_finished", step="one", position=1, status="succeeded"),
        node.event(grant, "step_started", step="two", position=2),
        node.event(grant, "step_finished", step="two", position=2, status="failed"),
        node.event(grant, "job_finished", outcome="failed", failure_reason="action_failed"),
    )

    job = await farm.job(grant)
    assert (job.current_step, job.steps_done, job.steps_total) == ("two", 2, 3)


async def test_events_of_one_batch_count_in_the_order_of_their_sequence(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    events = [
        node.event(grant, "job_started"),
        node.event(grant, "step_started", step="one"),
        node.event(grant, "step_finished", step="one", status="succeeded"),
        node.event(grant, "job_finished", outcome="succeeded"),
    ]

    results = await node.send(*reversed(events))

    assert {result.outcome for result in results} == {"applied"}
    assert (await farm.job(grant)).status == "succeeded"


async def test_one_bad_event_does_not_spoil_its_batch(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    good = node.event(grant, "job_started")
    bad = [
        {},
        {**good, "event_id": "nonsense"},
        {**good, "event_id": str(uuid4()), "type": "job_exploded"},
        {**good, "event_id": str(uuid4()), "seq": "many"},
        {**good, "event_id": str(uuid4()), "at": "2026-02-31T00:00:00Z"},
        {**good, "event_id": str(uuid4()), "at": 7},
        node.event(grant, "step_finished", step="x", status="exploded"),
        node.event(grant, "job_finished", outcome="succeeded", steps=[{"step": "x"}]),
        node.event(grant, "job_finished", outcome="succeeded", steps=[7]),
        node.event(grant, "log", lines="x"),
        node.event(grant, "artifact_created", key="k", size_bytes=-1),
        node.event(grant, "artifact_created", key="".join(map(str, range(9000)))),
        node.event(grant, "step_started", step="".join(map(str, range(9000)))),
        node.event(grant, "job_finished", outcome="failed", steps=[{"step": "x" * 9000, "status": "failed"}]),
        {**node.event(grant, "job_started"), "seq": 0},
    ]

    results = await node.send(*bad, good)

    assert [result.outcome for result in results] == ["invalid"] * len(bad) + ["applied"]
    assert all(result.message for result in results[:-1])
    assert (await farm.job(grant)).status == "running"


async def test_a_failing_group_of_callbacks_is_tried_one_by_one(farm: Farm) -> None:
    good, bad = await farm.given_node("good", devices=1), await farm.given_node("bad", devices=1)
    await farm.given_run()
    (grant,), (other,) = await good.pull(), await bad.pull()

    answers = await farm.engine.events.apply_callbacks(
        [
            (
                "bad",
                [bad.event(other, "job_started", at="2026-02-30T00:00:00Z"), bad.event(other, "job_started")],
            ),
            ("good", [good.event(grant, "job_started")]),
        ]
    )

    assert [[result.outcome for result in answer] for answer in answers] == [
        ["invalid", "applied"],
        ["applied"],
    ]


# Rule 10: artifacts and logs


async def test_evidence_is_accepted_after_the_end_of_its_lease_for_a_day(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await node.finish(grant, outcome="failed", failure_reason="action_failed")

    await farm.clock.advance(timedelta(hours=23))
    early = await node.send(
        node.event(grant, "log", lines=[{"message": "late word", "level": "error"}]),
        node.event(grant, "artifact_created", key=artifact_key(grant), kind="screenshot", size_bytes=10),
    )
    await farm.clock.advance(timedelta(hours=2))
    late = await node.send(node.event(grant, "log", lines=[{"message": "too late"}]))

    assert [result.outcome for result in (*early, *late)] == ["applied", "applied", "stale"]
    assert await farm.value("select count(*) from corral.artifacts where attempt = 1") == 1


async def test_evidence_needs_a_token_that_was_given_to_that_node_for_that_job(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    other = await farm.given_node("other", devices=1)

    results = await other.send(other.event(grant, "log", lines=[{"message": "x"}]), other.event(grant, "job_started"))

    assert [result.outcome for result in results] == ["stale", "stale"]
    assert (await farm.job(grant)).status == "leased"
    assert node.held


async def test_a_log_line_before_the_start_changes_the_runs_version_and_does_not_start_it(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    before = await farm.run(grant.run_id)

    await node.send(node.event(grant, "log", lines=[{"message": "waiting for the phone"}]))

    after = await farm.run(grant.run_id)
    assert (after.status, after.version > before.version) == ("queued", True)


async def test_an_artifact_is_put_only_if_its_key_is_absent(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    for size in (1, 2):
        await node.send(node.event(grant, "artifact_created", key=artifact_key(grant), size_bytes=size))

    assert await farm.value("select array_agg(size_bytes) from corral.artifacts") == [1]


async def test_log_lines_are_capped_per_lease(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    await farm.value("update corral.settings set log_lines_per_lease = 5 returning 1")

    for _ in range(3):
        await node.send(node.event(grant, "log", lines=[{"message": str(n)} for n in range(3)]))

    assert await farm.value("select count(*) from corral.log_lines") == 5


# Rule 11: moves


async def test_an_idle_device_moves_with_its_number_and_its_queue(farm: Farm) -> None:
    await farm.given_node("old", devices=["a", "b"])
    run = await farm.given_run({"serials": ["b"]})
    before = (await farm.engine.devices.list(node_id="old"))[1]

    new = await farm.given_node("new", devices=["b"])

    after = await farm.engine.devices.get(before.device_id)
    assert (after.node_id, after.index_no) == ("new", before.index_no)
    assert [grant.run_id for grant in await new.pull()] == [run.run_id]


async def test_a_leased_device_is_contested_until_its_lease_ends(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    await farm.given_run()
    (grant,) = await old.pull()

    new = await farm.given_node("new", devices=["a"])
    assert (await farm.engine.devices.get(grant.device_id)).contested_node_id == "new"
    assert await new.pull() == []
    await old.finish(grant)
    await farm.run_upkeep()

    assert (await farm.engine.devices.get(grant.device_id)).node_id == "new"
    assert len(await new.pull()) == 1


async def test_a_leased_device_that_its_node_reports_gone_moves_once_that_node_has_let_go_of_it(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    (grant,) = await old.pull()
    new = await farm.given_node("new", devices=["a"])

    beat = await old.beat(devices=[{"serial": "a", "connection": "gone"}])
    await farm.run_upkeep()
    assert beat.lost == [grant.lease_token]
    assert (await farm.job(grant)).status == "leased", "its node may be at work on it still"
    assert await new.pull() == []

    await old.finish(grant, outcome="interrupted")
    await farm.run_upkeep()

    (regrant,) = await new.pull()
    assert regrant.job_id == grant.job_id


async def test_a_leased_device_that_comes_back_to_its_node_stays_with_its_job(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    (grant,) = await old.pull()
    await farm.given_node("new", devices=["a"])

    await old.beat(devices=[{"serial": "a", "connection": "gone"}])
    beat = await old.beat(devices=[{"serial": "a", "connection": "connected"}])

    assert beat.lost == []
    (result,) = await old.finish(grant)
    assert result.outcome == "applied"


# Rule 12: completion


async def test_no_run_ends_before_it_is_fanned_out(farm: Farm) -> None:
    node = await farm.given_node(devices=4)
    workflow_id = await farm.given_workflow()
    run_id = await farm.value(
        "select (corral.fn_create_run($1, $2, null)).run_id", workflow_id, {"target": {"all": True}}
    )
    await farm.value("select jobs_made from corral.fn_fan_out_run($1, 2)", run_id)
    await node.finish(*await node.pull())
    await farm.engine.upkeep.finish_open_runs()
    assert (await farm.run(run_id)).status == "running"

    await farm.engine.upkeep.resume_unfinished_work()

    assert (await farm.run(run_id)).total_jobs == 4
    await node.finish(*await node.pull())
    assert (await farm.run(run_id)).status == "succeeded"


async def test_upkeep_ends_a_run_that_its_last_job_missed(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    shipped = await farm.value("select pg_get_functiondef('corral.fn_advance_runs'::regproc)")
    await farm.engine.database.fetch(
        "create or replace function corral.fn_advance_runs(p_started uuid[], p_ended uuid[]) returns integer"
        " language sql as 'select 0'"
    )
    await node.finish(grant)
    await farm.engine.database.fetch(shipped)
    assert (await farm.run(grant.run_id)).status == "queued"

    assert await farm.engine.upkeep.finish_open_runs() == 1

    assert (await farm.run(grant.run_id)).status == "succeeded"


async def test_two_last_jobs_that_finish_at_the_same_moment_end_the_run(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=1) for n in range(2)]
    for _ in range(25):
        run = await farm.given_run()
        grants = [(await node.pull())[0] for node in nodes]

        await asyncio.gather(*(node.finish(grant) for node, grant in zip(nodes, grants, strict=True)))

        assert (await farm.run(run.run_id)).status == "succeeded"


# The deadline, the backstop behind the node's own timeouts


async def test_a_job_past_its_deadline_fails_though_its_node_still_beats(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    run = await farm.given_run(timeout_s=120)
    (grant,) = await node.pull()
    await node.start(grant)

    await farm.pass_time(timedelta(seconds=175), node)
    assert (await farm.job(grant)).status == "running"
    await farm.pass_time(BEAT, node)

    assert (await farm.job(grant)).failure_reason == "job_timeout"
    assert (await farm.run(run.run_id)).status == "failed"
    assert (await node.beat()).lost == [grant.lease_token]
