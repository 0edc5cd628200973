"""Sessions and runs contend for the same phones over many connections: nothing deadlocks, and the books add up throughout."""

import asyncio
from datetime import timedelta
from uuid import UUID

from corral.model.sessions import DeviceSession, SessionState
from corral.workflow import LONGEST_HOLD_S
from tests.engine.farm import Farm, SimulatedNode

NODES, DEVICES = 4, 6
HOLDERS, TURNS = 12, 4
ENDED = SessionState.ENDED


async def work(node: SimulatedNode, done: asyncio.Event) -> None:
    """Finish jobs at once, hold phones until asked to stop, until nothing is left on the whole farm."""
    while not done.is_set():
        grants = await node.pull(want=20)
        holds = [grant for grant in grants if grant.timeout_s == LONGEST_HOLD_S]
        jobs = [grant for grant in grants if grant not in holds]
        if grants:
            await node.start(*grants)
        if jobs:
            await node.finish(*jobs)
        for token in await node.engine.nodes.list_cancels(node.node_id):
            if (held := node.held.get(token)) is not None:
                await node.finish(held, outcome="cancelled")
        await node.beat()


async def hold(farm: Farm, name: str, *, is_named: bool) -> list[DeviceSession]:
    """One holder's day: phones had, touched and let go; every other one is taken by a colleague or by the clock."""
    reservations, ended = farm.engine.reservations, []
    for turn in range(TURNS):
        device = str(1 + (turn * 7) % (NODES * DEVICES)) if is_named else None
        session = await reservations.open_session(name, device=device, ttl=timedelta(minutes=10))
        session_id = session.session_id
        while session.state is SessionState.WAITING:
            session = await reservations.get(session_id)
        assert session.state is SessionState.ACTIVE, session
        await asyncio.gather(
            reservations.renew_session(session_id, actor=name),
            reservations.send_input(session_id, {"kind": "key", "key": "HOME"}, actor=name),
        )
        if turn % 2:
            await asyncio.gather(
                reservations.release_session(session_id, actor=name),
                reservations.release_session(session_id, actor="colleague", reason="mine now"),
                reservations.expire_session(session_id),
            )
        else:
            await reservations.release_session(session_id, actor=name)
        ended.append(await reservations.get(session_id))
    return ended


async def watch(farm: Farm, done: asyncio.Event) -> list[object]:
    """Whatever should not be seen, seen by looking over and over; two holders of one phone above all."""
    faults: list[object] = []
    while not done.is_set():
        faults += await farm.engine.upkeep.check_invariants()
        live = [each for each in await farm.engine.reservations.list() if each.device is not None]
        phones: list[UUID] = [each.device.device_id for each in live if each.device is not None]
        if len(phones) != len(set(phones)):
            faults.append(live)
    return faults


async def test_sessions_and_runs_share_the_phones_and_the_books_add_up(farm: Farm) -> None:
    nodes = [await farm.given_node(f"node-{n}", devices=DEVICES) for n in range(NODES)]
    runs = [await farm.given_run() for _ in range(3)] + [await farm.given_run({"any": 20}) for _ in range(2)]
    done = asyncio.Event()
    working = [asyncio.create_task(work(node, done)) for node in nodes]
    watching = asyncio.create_task(watch(farm, done))

    days = await asyncio.gather(*(hold(farm, f"holder-{n}", is_named=n % 3 == 0) for n in range(HOLDERS)))
    for run in runs:
        while (await farm.run(run.run_id)).finished_at is None:
            await farm.engine.upkeep.finish_open_runs()
    done.set()
    await asyncio.gather(*working)

    assert await watching == []
    ended = [session for day in days for session in day]
    assert len(ended) == HOLDERS * TURNS
    assert {session.state for session in ended} == {ENDED}
    assert {str(session.end_reason) for session in ended} <= {"released", "forced"}
    assert {(await farm.run(run.run_id)).status for run in runs} == {"succeeded"}
