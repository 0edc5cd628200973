"""News of nodes: why a pull that waits should be answered."""

from tests.engine.farm import Farm


async def test_news_are_of_what_a_node_could_be_granted(farm: Farm) -> None:
    async def has_work() -> bool:
        return any(news.has_work for news in await farm.engine.nodes.list_news(["node-1", "node-9"]))

    node = await farm.given_node(devices=2, max_concurrency=1, lookahead=0)
    assert not await has_work()
    await farm.given_run()
    assert await has_work()
    await node.pull()
    assert not await has_work(), "all slots are taken"

    idle = await farm.given_node("node-9", devices=1)
    await farm.given_run({"any": 1})
    assert await has_work(), "a pool has work for any idle device"
    await farm.engine.nodes.drain_node(idle.node_id)
    assert not await has_work(), "a draining node gets nothing"


async def test_a_full_gate_is_no_news(farm: Farm) -> None:
    one, two = await farm.given_node("node-1", devices=1), await farm.given_node("node-2", devices=1)
    await farm.given_run(policy={"concurrency": 1})
    (grant,) = await one.pull()
    assert await farm.engine.nodes.list_news([two.node_id]) == []

    await one.finish(grant)

    assert [news.has_work for news in await farm.engine.nodes.list_news([two.node_id])] == [True]
