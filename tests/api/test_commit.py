"""Group commit: callbacks that share a transaction do not share a fate."""

import asyncio
from collections.abc import Sequence

import pytest

from corral.api.commit import CallbackCommitter
from corral.model.errors import BrokenRuleError
from corral.model.records import EventResult, Grant, Json
from tests.engine.farm import Farm


async def test_a_callback_that_breaks_the_books_costs_the_others_of_its_group_nothing(farm: Farm) -> None:
    bad, good = await farm.given_node("bad", devices=1), await farm.given_node("good", devices=1)
    await farm.given_run({"nodes": ["bad"]}, policy={"concurrency": 1})
    await farm.given_run({"nodes": ["good"]})
    (doomed,), (fine,) = await bad.pull(), await good.pull()
    await farm.value("update corral.run_gates set in_flight = 0 returning 1")
    committer = CallbackCommitter(farm.engine)

    broken, answer = await asyncio.gather(
        committer.apply("bad", [bad.event(doomed, "job_finished", outcome="succeeded")]),
        committer.apply("good", [good.event(fine, "job_finished", outcome="succeeded")]),
        return_exceptions=True,
    )

    assert isinstance(broken, BrokenRuleError)
    assert not isinstance(answer, BaseException)
    assert [result.outcome for result in answer] == ["applied"]
    await farm.value("update corral.run_gates set in_flight = 1 returning 1")


async def test_a_callback_alone_hears_what_broke(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    await farm.given_run(policy={"concurrency": 1})
    (grant,) = await node.pull()
    await farm.value("update corral.run_gates set in_flight = 0 returning 1")

    with pytest.raises(BrokenRuleError):
        await CallbackCommitter(farm.engine).apply("node-1", [node.event(grant, "job_finished", outcome="succeeded")])

    assert (await farm.job(grant)).status == "leased"
    await farm.value("update corral.run_gates set in_flight = 1 returning 1")


async def test_callbacks_that_come_while_enough_is_under_way_share_the_next_transaction(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = await farm.given_node(devices=14)
    await farm.given_run()
    grants = await node.pull()
    apply_callbacks, groups, may_go_on = farm.engine.events.apply_callbacks, asyncio.Queue[int](), asyncio.Event()

    async def apply_later(callbacks: Sequence[tuple[str, Sequence[Json]]]) -> list[list[EventResult]]:
        groups.put_nowait(len(callbacks))
        await may_go_on.wait()
        return await apply_callbacks(callbacks)

    def call_back(grant: Grant) -> asyncio.Task[list[EventResult]]:
        return asyncio.create_task(committer.apply("node-1", [node.event(grant, "job_started")]))

    monkeypatch.setattr(farm.engine.events, "apply_callbacks", apply_later)
    committer = CallbackCommitter(farm.engine)
    answers = []
    for grant in grants[:4]:
        answers.append(call_back(grant))
        assert await groups.get() == 1
    answers += [call_back(grant) for grant in grants[4:]]
    await asyncio.sleep(0)  # all of them have called
    may_go_on.set()

    outcomes = [result.outcome for answer in await asyncio.gather(*answers) for result in answer]
    assert outcomes == ["applied"] * 14
    assert groups.get_nowait() == 10
    assert groups.empty()


async def test_no_transaction_gets_more_events_than_it_should_unless_one_callback_has_them(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = []

    async def apply_nothing(callbacks: Sequence[tuple[str, Sequence[Json]]]) -> list[list[EventResult]]:
        groups.append([len(events) for _, events in callbacks])
        return [[] for _ in callbacks]

    monkeypatch.setattr(farm.engine.events, "apply_callbacks", apply_nothing)
    committer = CallbackCommitter(farm.engine)

    await asyncio.gather(*(committer.apply("node-1", [{}] * count) for count in (200, 200, 200, 700, 10)))

    assert groups == [[200, 200], [200], [700], [10]]
