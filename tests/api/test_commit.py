"""Group commit: callbacks that share a transaction do not share a fate."""

import asyncio

import pytest

from corral.api.commit import CallbackCommitter
from corral.model.errors import BrokenRuleError
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
