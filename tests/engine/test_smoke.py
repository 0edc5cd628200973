from tests.engine.farm import Farm


async def test_a_run_goes_through(farm: Farm) -> None:
    node = await farm.given_node(devices=3)
    run = await farm.given_run()

    grants = await node.pull()
    await node.start(*grants)
    await node.finish(*grants)

    assert (await farm.run(run.run_id)).status == "succeeded"
