"""Tests that the phones of a run share, and results of those that each phone executes."""

from datetime import timedelta
from uuid import uuid4

import msgspec
import pytest

from corral.model.errors import LeaseLostError, NotFoundError
from corral.model.states import Chunking
from tests.engine.farm import LEASE_TIME, SECOND, Farm
from tests.engine.suites import STEP, Phone, all_cases, cases, counts, given_phones, result, verdicts

MONTH = timedelta(days=30)


async def execute_all(
    phones: list[Phone], status: str = "passed", *, durations: dict[str, float] | None = None
) -> list[int]:
    """The phones claim and report in turn until nothing is left for any; how many tests each claim gave."""
    sizes, working = [], list(phones)
    while working:
        phone = working.pop(0)
        chunk = await phone.claim()
        if not chunk.is_done:
            sizes.append(len(chunk.tests))
            for each in chunk.tests:
                await phone.tell_all([each], status, (durations or {}).get(each.name, 0.5))
            working.append(phone)
    return sizes


# Offers.


async def test_the_first_offer_makes_the_suite_and_later_ones_change_nothing(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)

    first = await one.offer(cases(10))
    again = await one.offer(cases(10))
    later = await two.offer(cases(10), test_retries=9)

    assert (first.total, first.is_first) == (10, True)
    assert (again.total, again.is_first) == (10, True)
    assert (later.total, later.is_first) == (10, False)
    assert await verdicts(farm, run) == {case["name"]: "pending" for case in cases(10)}


async def test_a_test_that_is_listed_twice_is_shared_once(farm: Farm) -> None:
    _, (phone,) = await given_phones(farm, 1)

    assert (await phone.offer([*cases(3), *cases(3)])).total == 3


async def test_an_empty_list_leaves_nothing_to_do(farm: Farm) -> None:
    _, (phone,) = await given_phones(farm, 1)

    assert (await phone.offer([])).total == 0
    assert (await phone.claim()).is_done


async def test_a_phone_that_finds_other_tests_is_warned_of_in_the_runs_log(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.offer(cases(10))

    for _ in range(2):
        assert (await two.offer([*cases(8), *cases(5, class_name="com.example.Other")])).total == 10

    (line,) = await farm.engine.runs.list_run_logs(run.run_id)
    assert line.level == "warning"
    assert line.message.endswith("it has 5 tests that are not in it, and lacks 2")


@pytest.mark.parametrize("what", ["another token", "another node", "an ended lease", "an expired one"])
async def test_only_a_live_lease_offers_and_claims(farm: Farm, what: str) -> None:
    _, (phone, other) = await given_phones(farm, 2)
    await other.offer(cases(3))
    node = phone.node
    if what == "another token":
        phone = Phone(node, msgspec.structs.replace(phone.grant, lease_token=uuid4()))
    elif what == "another node":
        phone = Phone(await farm.given_node("node-2"), phone.grant)
    elif what == "an ended lease":
        await node.finish(phone.grant)
    else:
        await farm.pass_time(LEASE_TIME + 5 * SECOND)
        await farm.engine.upkeep.expire_leases()

    with pytest.raises(LeaseLostError):
        await phone.offer(cases(3))
    with pytest.raises(LeaseLostError):
        await phone.claim()


async def test_nothing_can_be_claimed_that_nobody_offered(farm: Farm) -> None:
    _, (phone,) = await given_phones(farm, 1)

    with pytest.raises(NotFoundError, match=f"offered the tests of step {STEP}"):
        await phone.claim()


# Chunks.


async def test_chunks_by_count_are_large_at_first_and_small_at_the_end(farm: Farm) -> None:
    run, phones = await given_phones(farm, 2)
    await phones[0].offer(cases(40))

    sizes = await execute_all(phones)

    assert sum(sizes) == 40
    assert (sizes[0], sizes[-1]) == (10, 1)
    assert sizes == sorted(sizes, reverse=True)
    assert await counts(farm, run) == {"total": 40, "passed": 40}
    await phones[0].node.finish(*(phone.grant for phone in phones))
    assert (await farm.run(run.run_id)).status == "succeeded"


async def test_chunks_hold_at_most_a_minute_of_what_is_expected(farm: Farm) -> None:
    _, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(500))

    assert len((await phone.claim()).tests) == 30  # of two seconds each: nothing is known of them


async def test_past_durations_even_out_the_chunks_and_the_longest_go_first(farm: Farm) -> None:
    durations = {case["name"]: 20.0 if number == 7 else 1.0 for number, case in enumerate(cases(20))}
    _, phones = await given_phones(farm, 2)
    await phones[0].offer(cases(20))
    await execute_all(phones, durations=durations)
    await phones[0].node.finish(*(phone.grant for phone in phones))

    _, phones = await given_phones(farm, 2)
    await phones[0].offer(cases(20), chunk=Chunking.DURATION)
    first, second = (await phones[0].claim()).tests, (await phones[1].claim()).tests

    assert [case.name for case in first] == ["test_0007"]
    assert len(second) == 4  # of the 19 seconds that are left, a quarter


# Lost phones.


async def test_the_tests_of_a_phone_that_died_are_claimed_by_the_others(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.offer(cases(4))
    (lost,) = (await one.claim()).tests
    await one.node.finish(one.grant, outcome="failed", failure_reason="device_offline")

    sizes = await execute_all([two])

    assert sum(sizes) == 4
    (case,) = [case for case in await all_cases(farm, run) if case.name == lost.name]
    assert (case.verdict, case.is_flaky, len(case.results)) == ("passed", False, 1)


async def test_a_late_result_counts_until_another_has_claimed_the_test(farm: Farm) -> None:
    run, (phone, other) = await given_phones(farm, 2)
    await phone.offer(cases(8))
    early, late = (await phone.claim()).tests
    await farm.pass_time(LEASE_TIME + 5 * SECOND)
    await farm.engine.upkeep.expire_leases()
    await phone.node.beat()

    assert (await phone.tell(result(early.name)))[0].outcome == "applied"
    grants = await phone.node.pull()
    phones = [Phone(phone.node, grant) for grant in grants]
    await execute_all(phones)
    (told,) = await phone.tell(result(late.name, "failed"))

    assert told.outcome == "stale"
    assert await counts(farm, run) == {"total": 8, "passed": 8}
    (first,) = [case for case in await all_cases(farm, run) if case.name == early.name]
    assert [each.attempt for each in first.results] == [1]
    assert other.grant.job_id in {grant.job_id for grant in grants}


async def test_a_test_that_no_phone_survives_is_errored_and_takes_no_other_with_it(farm: Farm) -> None:
    run, phones = await given_phones(farm, 5)
    await phones[0].offer(cases(30))
    killed = 0
    for phone in phones[:-1]:
        while True:
            chunk = await phone.claim()
            if not chunk.tests:
                break
            if "test_0000" in {case.name for case in chunk.tests}:
                await phone.node.finish(phone.grant, outcome="failed", failure_reason="device_offline")
                killed += 1
                break
            await phone.tell_all(chunk.tests)
    await execute_all(phones[-1:])
    (killer,) = [case for case in await all_cases(farm, run) if case.name == "test_0000"]

    assert killed == 3
    assert (killer.verdict, killer.message) == ("errored", "no phone survived it: 3 were lost while they had it")
    assert await counts(farm, run) == {"total": 30, "passed": 29, "errored": 1}
    await phones[0].node.finish(*(phone.grant for phone in phones[3:]))
    assert (await farm.run(run.run_id)).status == "completed_with_errors"


async def test_a_job_that_its_node_gave_back_was_not_lost(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(1), infra_retries=0)

    for _ in range(2):
        assert len((await phone.claim()).tests) == 1
        await phone.node.finish(phone.grant, outcome="interrupted")
        (grant,) = await phone.node.pull()
        phone = Phone(phone.node, grant)
        await phone.node.start(grant)

    await phone.tell_all((await phone.claim()).tests)
    assert await counts(farm, run) == {"total": 1, "passed": 1}


async def test_a_step_that_begins_anew_lets_go_of_what_it_had(farm: Farm) -> None:
    run, (phone, other) = await given_phones(farm, 2)
    await phone.offer(cases(1), infra_retries=1)
    (first,) = (await phone.claim()).tests
    assert (await other.claim()).tests == []

    await phone.offer(cases(1))

    assert await counts(farm, run) == {"total": 1, "pending": 1}
    assert (await other.claim()).tests == [first]
    assert (await phone.tell(result(first.name, "failed")))[0].outcome == "applied"  # another has it: it does not count
    await other.tell_all([first])
    (case,) = await all_cases(farm, run)
    assert [(each.status, each.is_counted) for each in case.results] == [("failed", False), ("passed", True)]
    assert (case.verdict, case.is_flaky) == ("passed", False)


async def test_a_run_all_of_whose_jobs_succeeded_did_not_if_a_test_was_lost_with_all_phones(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(1), infra_retries=0)
    await phone.claim()
    node = await phone.node.reboot()
    (grant,) = await node.pull()
    again = Phone(node, grant)

    assert (await again.claim()).is_done
    await node.finish(grant)

    assert (await farm.job(grant)).status == "succeeded"
    assert (await farm.run(run.run_id)).status == "completed_with_errors"


async def test_what_nobody_executed_is_errored_when_the_run_ends(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.offer(cases(10))
    await one.claim()
    await one.node.finish(one.grant, outcome="failed", failure_reason="device_offline")
    await two.node.finish(two.grant)

    assert {(case.verdict, case.message) for case in await all_cases(farm, run)} == {
        ("errored", "not run: no phone was left")
    }
    assert (await farm.run(run.run_id)).status == "completed_with_errors"


async def test_a_cancelled_run_hands_out_no_more_tests(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(10))
    await phone.tell_all((await phone.claim()).tests[:1])
    await farm.engine.runs.cancel_run(run.run_id)

    assert (await phone.claim()).is_done
    await phone.node.finish(phone.grant, outcome="cancelled")

    assert await counts(farm, run) == {"total": 10, "passed": 1, "errored": 9}
    assert {case.message for case in await all_cases(farm, run)} == {None, "not run: the run was cancelled"}
    assert (await farm.run(run.run_id)).status == "cancelled"


# Spares.


async def test_two_phones_wait_as_spares_and_the_others_are_done(farm: Farm) -> None:
    _, phones = await given_phones(farm, 5)
    await phones[0].offer(cases(1))
    assert len((await phones[0].claim()).tests) == 1

    assert [(await phone.claim()).is_done for phone in phones[1:]] == [False, False, True, True]
    assert not (await phones[1].claim()).is_done

    await phones[0].node.finish(phones[0].grant, outcome="failed", failure_reason="device_offline")
    assert len((await phones[2].claim()).tests) == 1


async def test_a_spare_that_has_not_asked_for_a_minute_leaves_its_place(farm: Farm) -> None:
    _, phones = await given_phones(farm, 4)
    await phones[0].offer(cases(1))
    for phone in phones[:3]:
        assert not (await phone.claim()).is_done
    await farm.pass_time(timedelta(seconds=65), phones[0].node)

    assert not (await phones[3].claim()).is_done


# Failures.


async def test_a_failed_test_is_tried_again_on_another_phone_and_is_flaky_if_it_passes(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.offer(cases(1), test_retries=1)
    (first,) = (await one.claim()).tests
    assert not (await two.claim()).is_done
    await one.tell(result(first.name, "failed", message="expected 1, was 2"))

    assert (await one.claim()).tests == []  # left to the other
    (again,) = (await two.claim()).tests
    await two.tell_all([again])

    assert again.try_ == 2
    (case,) = await all_cases(farm, run)
    assert (case.verdict, case.is_flaky, case.differs) == ("passed", True, True)
    assert [each.status for each in case.results] == ["failed", "passed"]
    assert await counts(farm, run) == {"total": 1, "passed": 1, "flaky": 1}


async def test_a_phone_that_is_alone_tries_again_itself(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(1), test_retries=1)

    for _ in range(2):
        await phone.tell_all((await phone.claim()).tests, "failed")

    assert (await phone.claim()).is_done
    assert await counts(farm, run) == {"total": 1, "failed": 1}


async def test_a_request_that_is_repeated_gets_the_same_tests(farm: Farm) -> None:
    _, (phone,) = await given_phones(farm, 1)
    await phone.offer(cases(9), test_retries=1)
    request_id = uuid4()

    first = await phone.claim(request_id)
    await phone.tell(result(first.tests[0].name, "failed"))

    assert await phone.claim(request_id) == first
    assert (await phone.claim()).tests[0] not in first.tests


# Results of tests that every phone executes.


async def test_every_phone_may_execute_everything_and_what_differs_is_named(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.tell(result("a"), result("b", "failed", message="no", trace="at Somewhere"), result("c", "skipped"))
    await two.tell(result("a"), result("b"), result("c", "skipped"), result("d", "errored"))

    assert await verdicts(farm, run) == {"a": "passed", "b": "failed", "c": "skipped", "d": "errored"}
    (differing,) = [case for case in await all_cases(farm, run) if case.differs]
    assert (differing.name, [each.index for each in differing.results]) == ("b", [1, 2])
    assert [each.trace for each in differing.results] == [None, None]
    case = await farm.engine.tests.get_case(run.run_id, "com.example.SomeTest", "b")
    assert case.results[0].trace == "at Somewhere"


async def test_a_phones_last_word_counts_and_passing_after_a_failure_is_flaky(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.tell(result("a", "failed"), result("b", "failed"))
    await phone.tell(result("a", try_=2), result("b", "errored", try_=2))
    await phone.tell(result("a", "failed", try_=2))  # the first word on a try stands

    assert await counts(farm, run) == {"total": 2, "passed": 1, "errored": 1, "flaky": 1}
    node = await phone.node.reboot()
    (grant,) = await node.pull()
    again = Phone(node, grant)
    await again.tell(result("a", "failed"))

    assert await counts(farm, run) == {"total": 2, "failed": 1, "errored": 1}
    (case,) = [case for case in await all_cases(farm, run) if case.name == "a"]
    assert [(each.attempt, each.try_, each.status) for each in case.results] == [
        (1, 1, "failed"),
        (1, 2, "passed"),
        (2, 1, "failed"),
    ]


async def test_results_that_were_overtaken_by_another_word_still_count(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    overtaken = phone.told(result("a"))
    await phone.node.send(phone.node.event(phone.grant, "step_started", step="next"))

    assert (await phone.node.send(overtaken))[0].outcome == "applied"
    assert await verdicts(farm, run) == {"a": "passed"}
    late = phone.told(result("b"))
    ended, told = await phone.node.send(phone.node.event(phone.grant, "job_finished", outcome="succeeded"), late)
    assert (ended.outcome, told.outcome) == ("applied", "applied")  # it happened before the end
    assert (await phone.tell(result("c")))[0].outcome == "stale"


async def test_results_start_an_attempt_like_any_other_word(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    phone = Phone(node, grant)

    await phone.tell(result("a"))

    assert ((await farm.job(grant)).status, (await farm.job(grant)).attempt) == ("running", 1)


async def test_a_stale_tokens_results_are_kept_for_audit_only(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    node = await phone.node.reboot()
    await node.pull()

    (told,) = await phone.tell(result("a"))

    assert told.outcome == "stale"
    assert await all_cases(farm, run) == []
    payload = await farm.value("select payload from corral.node_events where event_id = $1::text::uuid", told.event_id)
    assert payload["results"][0]["name"] == "a"


async def test_results_change_the_runs_version(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    before = await farm.engine.runs.get_run_version(run.run_id)

    await phone.tell(result("a"))

    assert await farm.engine.runs.get_run_version(run.run_id) > before


async def test_long_texts_are_cut_and_any_character_is_kept(farm: Farm) -> None:
    run, (phone,) = await given_phones(farm, 1)
    await phone.tell(result("a\u2028\x1b[0m", "failed", message="m" * 5_000, trace="t" * 50_000))

    case = await farm.engine.tests.get_case(run.run_id, "com.example.SomeTest", "a\u2028\x1b[0m")

    assert (len(case.results[0].message or ""), len(case.results[0].trace or "")) == (2_000, 20_000)


@pytest.mark.parametrize(
    ("results", "fault"),
    [
        (None, "results must be a list"),
        ([], "results must be 1 to 100"),
        ([result(f"t{n}") for n in range(101)], "results must be 1 to 100"),
        (["a"], "results must be objects"),
        ([{**result("a"), "name": ""}], "name must be a text of 1 to 500 characters"),
        ([{**result("a"), "name": "x" * 501}], "name must be a text of 1 to 500 characters"),
        ([{**result("a"), "class_name": None}], "class_name must be a text of at most 500 characters"),
        ([result("a"), {**result("b"), "status": "maybe"}], "status must be passed, failed, errored or skipped"),
        ([{**result("a"), "try": 0}], "try must be a whole number from 1 to 1000"),
        ([{**result("a"), "try": 1.5}], "try must be a whole number from 1 to 1000"),
        ([{**result("a"), "try": "1"}], "try must be a whole number from 1 to 1000"),
        ([{**result("a"), "duration_s": -1}], "duration_s must be from 0 to 1000000"),
        ([{**result("a"), "duration_s": 1e400}], "duration_s"),
        ([{**result("a"), "duration_s": "1"}], "duration_s must be a number"),
        ([{**result("a"), "message": 7}], "message must be a text"),
        ([{**result("a"), "trace": []}], "trace must be a text"),
    ],
)
async def test_results_of_the_wrong_shape_are_invalid_and_spoil_no_other_event(
    farm: Farm, results: object, fault: str
) -> None:
    run, (phone,) = await given_phones(farm, 1)
    wrong = phone.node.event(phone.grant, "test_results", step=STEP, results=results)

    told = await phone.node.send(wrong, phone.told(result("good")))

    assert [each.outcome for each in told] == ["invalid", "applied"]
    assert fault in (told[0].message or "")
    assert await verdicts(farm, run) == {"good": "passed"}


# Reading and forgetting.


async def test_cases_are_found_by_verdict_difference_and_words_a_page_at_a_time(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.tell(*(result(f"t{n}", "failed" if n % 5 == 0 else "passed") for n in range(20)))
    await two.tell(*(result(f"t{n}", "passed") for n in range(20)))
    await two.tell(result("Übung_%", class_name="com.example.Other"))
    tests = farm.engine.tests

    assert [case.name for case in await tests.list_cases(run.run_id, verdicts=["failed"])] == ["t0", "t10", "t15", "t5"]
    assert len(await tests.list_cases(run.run_id, differs=True)) == 4
    assert [case.name for case in await tests.list_cases(run.run_id, query="OTHER#")] == ["Übung_%"]
    assert [case.name for case in await tests.list_cases(run.run_id, query="_%")] == ["Übung_%"]
    assert await tests.list_cases(run.run_id, is_flaky=True) == []
    seen, after = [], None
    while page := await tests.list_cases(run.run_id, after=after, limit=6):
        seen += [case.name for case in page]
        after = (page[-1].step, page[-1].class_name, page[-1].name)
    assert (len(seen), len(set(seen))) == (21, 21)
    with pytest.raises(NotFoundError):
        await tests.list_cases(uuid4())
    with pytest.raises(NotFoundError):
        await tests.get_case(run.run_id, "com.example.SomeTest", "nothing")


async def test_a_run_without_tests_has_none(farm: Farm) -> None:
    run, _ = await given_phones(farm, 1)

    assert await farm.engine.tests.count_cases(run.run_id) is None
    assert await all_cases(farm, run) == []
    assert await farm.engine.tests.list_suites(run.run_id) == []


async def test_tests_are_forgotten_with_their_run(farm: Farm) -> None:
    _, phones = await given_phones(farm, 5)
    await phones[0].offer(cases(20))
    await execute_all(phones)
    await phones[0].node.finish(*(phone.grant for phone in phones))
    await farm.clock.advance(MONTH)

    await farm.engine.upkeep.purge_runs(timedelta(days=1), chunk=2)
    assert await farm.engine.upkeep.check_invariants() == []
    await farm.engine.upkeep.purge_runs(timedelta(days=1))

    for table in ("test_suites", "test_units", "test_phones", "test_results"):
        assert await farm.value(f"select count(*) from corral.{table}") == 0, table
