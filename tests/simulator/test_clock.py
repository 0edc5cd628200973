import asyncio

from corral.simulator.clock import ManualClock


async def test_sleepers_wake_in_the_order_of_their_times_and_may_sleep_again() -> None:
    clock = ManualClock()
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, *naps: float) -> None:
        for nap in naps:
            await clock.sleep(nap)
            woken.append((name, clock.now()))

    tasks = [asyncio.create_task(sleeper("a", 3, 3)), asyncio.create_task(sleeper("b", 1, 1, 1))]
    await clock.advance(13)
    await asyncio.gather(*tasks)

    assert woken == [("b", 1), ("b", 2), ("a", 3), ("b", 3), ("a", 6)]
    assert clock.now() == 13
