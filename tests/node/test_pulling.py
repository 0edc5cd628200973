"""One pull is always open, and none loses a grant."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from uuid import UUID, uuid4

import pytest

from corral.model.errors import ServerUnavailableError, StaleEpochError
from corral.model.records import Watch
from corral.model.sessions import SessionInput
from corral.model.tunnels import Tunnel
from corral.node.link import Link
from corral.node.pulling import Appetite, PullJobs
from corral.wire.nodes import Pull, Pulled

NOTHING = Pulled(jobs=[], runs=[], cancel=[])


class Server(Link):
    """A link whose pulls the test answers."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[tuple[Pull, asyncio.Future[Pulled]]] = asyncio.Queue()

    async def pull(self, request: Pull) -> Pulled:
        answer: asyncio.Future[Pulled] = asyncio.get_running_loop().create_future()
        self.asked.put_nowait((request, answer))
        return await answer


NOW = 1000.0


class Worker:
    def __init__(self) -> None:
        self.want = 0
        self.is_urgent = False
        self.got = 0

    def appetite(self) -> Appetite:
        return Appetite(self.want, self.is_urgent, (), ())

    def accept(self, pulled: Pulled, *, sent_at: float) -> None:
        assert pulled.jobs == []
        assert sent_at == NOW
        self.got += 1


class Screens:
    def __init__(self) -> None:
        self.watching: frozenset[UUID] = frozenset()
        self.taken: list[Watch] = []

    def take(self, watches: Iterable[Watch]) -> None:
        self.taken.extend(watches)


class Inputs:
    def __init__(self) -> None:
        self.taken: dict[UUID, int] = {}

    def take(self, inputs: Iterable[SessionInput]) -> None:
        self.taken = self.taken | {each.lease_token: each.seq for each in inputs}


class Tunnels:
    def __init__(self) -> None:
        self.taken: list[Tunnel] = []

    @property
    def known(self) -> frozenset[UUID]:
        return frozenset(tunnel.tunnel_id for tunnel in self.taken)

    def take(self, tunnels: Iterable[Tunnel]) -> None:
        self.taken.extend(tunnels)


class Case:
    def __init__(self) -> None:
        self.server, self.worker, self.screens, self.inputs = Server(), Worker(), Screens(), Inputs()
        self.tunnels = Tunnels()
        self.pulling = PullJobs(
            self.server,
            self.worker,
            screens=self.screens,
            inputs=self.inputs,
            tunnels=self.tunnels,
            node_id="desk",
            epoch=lambda: 1,
            clock=lambda: NOW,
        )
        self.task = asyncio.create_task(self.pulling.run())

    async def next(self) -> tuple[Pull, asyncio.Future[Pulled]]:
        return await asyncio.wait_for(self.server.asked.get(), 60)


@pytest.fixture
async def case() -> AsyncIterator[Case]:
    made = Case()
    yield made
    made.task.cancel()
    await asyncio.wait({made.task})


async def test_a_pull_is_open_even_when_nothing_is_wanted_and_again_after_its_answer(case: Case) -> None:
    first, answer = await case.next()
    answer.set_result(NOTHING)
    second, _ = await case.next()

    assert (first.want, second.want) == (0, 0)
    assert first.request_id != second.request_id


async def test_when_more_is_wanted_a_newer_pull_is_sent_and_the_older_still_heard(case: Case) -> None:
    _, older = await case.next()
    case.worker.want, case.worker.is_urgent = 5, True
    case.pulling.nudge()

    newer, answer = await case.next()
    older.set_result(NOTHING)
    answer.set_result(NOTHING)
    await case.next()

    assert newer.want == 5
    assert case.worker.got == 2


async def test_a_little_more_appetite_is_not_worth_a_newer_pull(case: Case) -> None:
    _, older = await case.next()
    case.worker.want = 1
    case.pulling.nudge()
    await asyncio.sleep(0)
    assert case.server.asked.empty()

    older.set_result(NOTHING)

    assert (await case.next())[0].want == 1


async def test_what_holders_did_is_taken_and_the_next_pull_says_how_far(case: Case) -> None:
    first, answer = await case.next()
    token = uuid4()
    told = SessionInput(uuid4(), token, 7, {"kind": "key", "key": "HOME"})
    answer.set_result(Pulled(jobs=[], runs=[], cancel=[], inputs=[told]))

    second, _ = await case.next()

    assert (first.inputs_taken, second.inputs_taken) == ({}, {token: 7})


async def test_a_request_keeps_its_id_until_it_was_answered(case: Case) -> None:
    first, answer = await case.next()
    answer.set_exception(ServerUnavailableError("away"))
    again, answer = await case.next()
    answer.set_result(NOTHING)
    other, _ = await case.next()

    assert first.request_id == again.request_id != other.request_id


async def test_being_replaced_ends_the_pulling(case: Case) -> None:
    _, answer = await case.next()
    answer.set_exception(StaleEpochError("a newer agent"))

    with pytest.raises(StaleEpochError):
        await case.task


async def test_screens_to_show_come_with_a_pull_and_the_next_one_says_that_they_are_shown(case: Case) -> None:
    watch = Watch(device_id=uuid4(), serial="R58M1", for_s=10)
    first, answer = await case.next()
    case.screens.watching = frozenset({watch.device_id})

    answer.set_result(Pulled(jobs=[], runs=[], cancel=[], watch=[watch]))
    second, _ = await case.next()

    assert (first.watching, second.watching, case.screens.taken) == ([], [watch.device_id], [watch])


async def test_when_a_screen_is_no_longer_shown_a_newer_pull_says_so(case: Case) -> None:
    watched = uuid4()
    case.screens.watching = frozenset({watched})
    _, answer = await case.next()
    answer.set_result(NOTHING)
    open_one, _ = await case.next()

    case.screens.watching = frozenset()
    case.pulling.nudge()
    newer, _ = await case.next()

    assert (open_one.watching, newer.watching) == ([watched], [])


async def test_a_tunnel_that_was_heard_of_is_named_in_the_next_pull(case: Case) -> None:
    tunnel = Tunnel(tunnel_id=uuid4(), lease_token=uuid4())
    first, answer = await case.next()
    answer.set_result(Pulled(jobs=[], runs=[], cancel=[], tunnels=[tunnel]))

    second, _ = await case.next()

    assert case.tunnels.taken == [tunnel]
    assert (first.tunnelling, second.tunnelling) == ([], [tunnel.tunnel_id])
