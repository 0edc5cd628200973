"""Tests that the phones of a run share, and results of those that each phone executes."""

from tests.engine.farm import Farm
from tests.engine.suites import cases, given_phones, verdicts


async def test_the_first_offer_makes_the_suite_and_later_ones_change_nothing(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)

    first = await one.offer(cases(10))
    again = await one.offer(cases(10))
    later = await two.offer(cases(10))

    assert (first.total, first.is_first) == (10, True)
    assert (again.total, again.is_first) == (10, True)
    assert (later.total, later.is_first) == (10, False)
    assert await verdicts(farm, run) == {case["name"]: "pending" for case in cases(10)}


async def test_a_phone_that_finds_other_tests_is_warned_of_in_the_runs_log(farm: Farm) -> None:
    run, (one, two) = await given_phones(farm, 2)
    await one.offer(cases(10))

    for _ in range(2):
        assert (await two.offer([*cases(8), *cases(5, class_name="com.example.Other")])).total == 10

    (line,) = await farm.engine.runs.list_run_logs(run.run_id)
    assert line.level == "warning"
    assert line.message.endswith("it has 5 tests that are not in it, and lacks 2")


async def test_two_phones_share_a_suite_and_its_run_succeeds(farm: Farm) -> None:
    run, phones = await given_phones(farm, 2)
    await phones[0].offer(cases(40))
    sizes = []

    working = list(phones)
    while working:
        phone = working.pop(0)
        chunk = await phone.claim()
        if not chunk.is_done:
            sizes.append(len(chunk.tests))
            if chunk.tests:
                await phone.tell_all(chunk.tests)
            working.append(phone)

    assert sum(sizes) == 40
    assert sizes[0] == 10
    assert sizes == sorted(sizes, reverse=True)
    counts = await farm.engine.tests.count_cases(run.run_id)
    assert counts is not None
    assert (counts.total, counts.passed, counts.pending, counts.running) == (40, 40, 0, 0)
    await phones[0].node.finish(*(phone.grant for phone in phones))
    assert (await farm.run(run.run_id)).status == "succeeded"
