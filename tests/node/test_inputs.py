"""Inputs to held phones: in order, once, under a live lease, and only while the session's job has the phone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from typing import Any, Self, cast
from uuid import UUID, uuid4

import pytest

from corral.drivers.protocol import Phone, ShellResult
from corral.model.errors import DeviceOfflineError
from corral.model.records import Grant, RunSpec
from corral.model.sessions import SessionInput
from corral.node.held import HeldJob, StopCause
from corral.node.inputs import TakeInputs
from corral.workflow import HOLD_NAME

SIZE = b"Physical size: 1080x1920\n"


def given_hold(token: UUID) -> HeldJob:
    grant = Grant(
        job_id=uuid4(),
        run_id=uuid4(),
        device_id=uuid4(),
        serial="R58M1",
        runtime_handle=None,
        lease_token=token,
        fence=1,
        attempt=1,
        priority=0,
        position=1,
        timeout_s=600,
    )
    nothing: dict[str, Any] = {}
    spec = RunSpec(
        grant.run_id, uuid4(), HOLD_NAME, 1, nothing, nothing, nothing, nothing, nothing, "seed", None, "session"
    )
    return HeldJob(grant, spec)


class Case:
    """A phone that writes down what it is told, and the job that holds it."""

    def __init__(self) -> None:
        self.token = uuid4()
        self.held = given_hold(self.token)
        self.told: list[str] = []
        self.is_live = True
        self.now = 0.0
        self.error: Exception | None = None
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        self.hangs = asyncio.Event()
        self.asks_for_size = 0
        self.inputs = TakeInputs(
            find={self.token: self.held}.get,
            phone=lambda _serial: cast("Phone", self),
            may_touch=lambda _token: self.is_live,
            tell=lambda _held, message: self.told.append(message),
            clock=lambda: self.now,
        )
        self.stack = ExitStack()
        self.stack.enter_context(self.held.having_phone())

    def under(self, _may_touch: Callable[[], bool], /) -> Self:
        return self

    async def shell(self, command: str, *, max_output_bytes: int = 0) -> ShellResult:
        del max_output_bytes
        if self.error is not None:
            raise self.error
        if command.startswith("wm size"):
            self.asks_for_size += 1
            return ShellResult(0, SIZE, b"")
        self.lines.put_nowait(command)
        if "hang" in command:
            await self.hangs.wait()
        return ShellResult(0, b"", b"")

    def take(self, *touches: dict[str, Any], first: int = 1) -> None:
        self.inputs.take(
            [SessionInput(uuid4(), self.token, seq, touch) for seq, touch in enumerate(touches, start=first)]
        )


@pytest.fixture
async def case() -> AsyncIterator[Case]:
    made = Case()
    yield made
    made.inputs.stop()
    made.stack.close()


async def test_touches_text_and_keys_become_commands_in_their_order(case: Case) -> None:
    case.take(
        {"kind": "tap", "x": 10, "y": 20},
        {"kind": "swipe", "x": 1, "y": 2, "to_x": 3, "to_y": 4},
        {"kind": "text", "text": "it's me"},
        {"kind": "key", "key": "back"},
    )

    assert [await case.lines.get() for _ in range(4)] == [
        "input tap 10 20",
        "input swipe 1 2 3 4 300",
        """input text 'it'"'"'s%sme'""",
        "input keyevent KEYCODE_BACK",
    ]
    assert case.inputs.taken == {case.token: 4}
    assert case.asks_for_size == 1


async def test_what_came_twice_is_done_once(case: Case) -> None:
    case.take({"kind": "key", "key": "1"}, {"kind": "key", "key": "2"})
    case.take({"kind": "key", "key": "2"}, {"kind": "key", "key": "3"}, first=2)

    assert [(await case.lines.get())[-1] for _ in range(3)] == ["1", "2", "3"]
    assert case.lines.empty()


async def test_a_point_beyond_the_screen_is_not_touched_and_that_is_said(case: Case) -> None:
    case.take({"kind": "tap", "x": 1080, "y": 20}, {"kind": "key", "key": "HOME"})

    assert await case.lines.get() == "input keyevent KEYCODE_HOME"
    assert case.told == ["an input was not done: 1080, 20 is beyond the screen of 1080 x 1920"]


async def test_a_failure_is_said_without_the_text_and_costs_that_input_alone(case: Case) -> None:
    case.error = DeviceOfflineError("R58M1 is offline", is_started=False)
    case.take({"kind": "text", "text": "hunter22"})
    while not case.told:  # noqa: ASYNC110 - the phone has no event for having failed
        await asyncio.sleep(0)
    case.error = None
    case.take({"kind": "key", "key": "HOME"}, first=2)

    assert await case.lines.get() == "input keyevent KEYCODE_HOME"
    assert case.told == ["an input was not done: R58M1 is offline"]


async def test_nothing_is_touched_without_a_live_lease(case: Case) -> None:
    case.is_live = False
    case.take({"kind": "key", "key": "HOME"})
    for _ in range(10):
        await asyncio.sleep(0)

    assert case.lines.empty()


async def test_what_is_under_way_is_cut_off_when_the_job_is_stopped_and_nothing_follows(case: Case) -> None:
    case.take({"kind": "text", "text": "hang"}, {"kind": "key", "key": "HOME"})
    assert await case.lines.get() == "input text hang"

    case.held.stop(StopCause.CANCELLED)
    while case.inputs.taken:  # noqa: ASYNC110 - the session is forgotten when its task has ended
        await asyncio.sleep(0)
    case.hangs.set()
    case.take({"kind": "key", "key": "HOME"}, first=3)

    assert case.lines.empty()
    assert case.inputs.taken == {}


async def test_a_job_that_let_go_of_the_phone_takes_no_input(case: Case) -> None:
    case.stack.close()

    case.take({"kind": "key", "key": "HOME"})

    assert case.inputs.taken == {}
