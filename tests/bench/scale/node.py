"""A node without phones: it speaks to the server as the agent does, and its jobs only take their time.

What it has in common with the agent (corral/node): one pull open at any time, a newer one when slots are idle or a good
part of the lookahead is used up; a heartbeat every sixth of a lease that names what it holds; one callback under way, with
all that happened since the one before; a job held until its end was acknowledged. It keeps the agent's connections, too:
one for heartbeats, one for callbacks, one or two for pulls. What it leaves out: logs, artifacts, health of devices, screens.
"""

import asyncio
import random
import time
from collections import deque
from typing import Any, Final
from uuid import uuid4

from tests.api.client import AS_NODE
from tests.bench.scale.tally import Tally
from tests.bench.wire import Reply, Wire

STEPS: Final = 3
EVENTS_PER_JOB: Final = 2 + 2 * STEPS
SLOTS: Final = 20
LOOKAHEAD: Final = 20
BEAT_S: Final = 10.0
WAIT_S: Final = 25.0
_REFILL: Final = LOOKAHEAD // 4
_MOST_EVENTS: Final = 500
_TRIES: Final = 3
_STEP: Final = [
    {"step": f"step_{n}", "position": n, "total": STEPS, "action": "device.shell"} for n in range(1, STEPS + 1)
]
_ENDS: Final = [{**step, "status": "succeeded", "attempt": 1} for step in _STEP]


class Job:
    """A job that the node holds, and which of its steps it is at."""

    def __init__(self, granted: dict[str, Any]) -> None:
        self._lease = {"job_id": granted["job_id"], "lease_token": granted["lease_token"]}
        self.token: str = granted["lease_token"]
        self.step = 0
        self._seq = 0

    def tell(self, kind: str, **fields: object) -> dict[str, object]:
        self._seq += 1
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return {"event_id": str(uuid4()), "type": kind, "at": at, **self._lease, "seq": self._seq, **fields}


class Line:
    """A connection that is opened when it is needed, and again after the server hung up, as it does where nothing is said."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._wire: Wire | None = None

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()

    async def say(self, what: str, body: dict[str, object]) -> Reply:
        """Whatever is said here may be said twice: the server knows it again."""
        for _ in range(_TRIES):
            if self._wire is None or self._wire.is_ended:
                self.close()
                self._wire = await Wire.open(self._url)
            try:
                return await self._wire.ask(self._wire.request("POST", f"/api/nodes/{what}", AS_NODE, body))
            except (asyncio.IncompleteReadError, ConnectionError):  # it hung up in that very moment
                self._wire.close()
                self._wire = None
        raise ConnectionError(f"the server hangs up on {what}")


class ModelNode:
    """One node with its devices. `set_pace` says how many steps a second its phones end."""

    def __init__(self, url: str, node_id: str, *, devices: int, tally: Tally) -> None:
        self._heart, self._teller = Line(url), Line(url)
        self._spare = [Line(url), Line(url)]
        self._asked: dict[Line, int] = {}
        self.node_id = node_id
        self._devices = devices
        self._tally = tally
        self._epoch = 0
        self._held: set[str] = set()
        self._waiting: deque[Job] = deque()
        self._running: deque[Job] = deque()
        self._runs: dict[str, None] = {}
        self._told: list[dict[str, object]] = []
        self._has_told = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._steps_per_s = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._is_over = False

    @property
    def is_full(self) -> bool:
        """Whether every slot works, and all of that is told."""
        return len(self._running) == min(SLOTS, self._devices) and not self._told

    async def register(self) -> None:
        """Be known, with all devices; ask for nothing yet."""
        about = {"max_concurrency": SLOTS, "lookahead": LOOKAHEAD, "state_id": uuid4().hex, "version": "model"}
        self._epoch = (await self._say(self._heart, "register", **about)).json()["epoch"]
        devices = [
            {"serial": f"{self.node_id}-{number:03}", "connection": "connected", "model": "Model 1", "battery": 80}
            for number in range(self._devices)
        ]
        await self._say(self._heart, "heartbeat", epoch=self._epoch, devices=devices, is_complete=True)

    def start(self) -> None:
        """Beat, pull and tell from now on."""
        for loop in (self._beat(), self._deliver()):
            self._do(loop)
        self._pull_if_hungry()

    async def stop(self) -> None:
        self._is_over = True
        self.set_pace(0)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for line in (self._heart, self._teller, *self._spare, *self._asked):
            line.close()

    def check(self) -> None:
        """Raises what made one of its loops end."""
        for task in self._tasks:
            if task.done():
                task.result()

    def set_pace(self, steps_per_s: float) -> None:
        self._steps_per_s = steps_per_s
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if steps_per_s:
            self._due = asyncio.get_running_loop().time()
            self._await_next_step()

    def _await_next_step(self) -> None:
        self._due += random.expovariate(self._steps_per_s)
        self._timer = asyncio.get_running_loop().call_at(self._due, self._end_step)

    def _end_step(self) -> None:
        """A phone is done with a step. Phones do not wait for the server: what is late is caught up with."""
        self._await_next_step()
        if not self._running:
            self._tally.starved += 1
            return
        job = self._running.popleft()
        self._take_step(job)
        self._has_told.set()

    def _take_step(self, job: Job) -> None:
        self._told.append(job.tell("step_finished", **_ENDS[job.step]))
        job.step += 1
        if job.step < STEPS:
            self._told.append(job.tell("step_started", **_STEP[job.step], attempt=1))
            self._running.append(job)
            return
        self._told.append(job.tell("job_finished", outcome="succeeded", total=STEPS, steps=_ENDS))
        self._tally.jobs += 1
        self._tally.all_jobs += 1
        self._fill_slots()

    def _fill_slots(self) -> None:
        while self._waiting and len(self._running) < SLOTS:
            job = self._waiting.popleft()
            self._told.append(job.tell("job_started", total=STEPS))
            self._told.append(job.tell("step_started", **_STEP[0], attempt=1))
            self._running.append(job)
            self._has_told.set()

    def spread(self) -> None:
        """Bring the jobs that run to different steps, as those of a farm that has worked for a while are."""
        for number, job in enumerate(list(self._running)):
            for _ in range(number % STEPS):
                self._running.remove(job)
                self._take_step(job)
        random.shuffle(self._running)
        self._has_told.set()

    def _pull_if_hungry(self) -> None:
        """As the agent does: one pull is always open, a newer one only where it is worth it."""
        want = max(0, SLOTS + LOOKAHEAD - len(self._held))
        is_hungry = SLOTS - len(self._running) > len(self._waiting)
        is_urgent = want >= _REFILL or (want > 0 and is_hungry)
        is_more = bool(self._spare) and is_urgent and want > max(self._asked.values(), default=0)
        if not self._is_over and (not self._asked or is_more):
            line = self._spare.pop()
            self._asked[line] = want
            self._do(self._pull(line, want))

    async def _pull(self, line: Line, want: int) -> None:
        more = {"known_runs": list(self._runs), "watching": [], "inputs_taken": {}, "tunnelling": []}
        sent_at = time.perf_counter()
        reply = await self._say(
            line, "pull", epoch=self._epoch, want=want, request_id=str(uuid4()), wait_s=WAIT_S, **more
        )
        took = time.perf_counter() - sent_at
        pulled = reply.json()
        self._tally.pulls += 1
        if pulled["jobs"]:
            self._tally.pull_times.append(took)
        self._runs.update(dict.fromkeys(run["run_id"] for run in pulled["runs"]))
        jobs = [Job(granted) for granted in pulled["jobs"]]
        self._held.update(job.token for job in jobs)
        self._waiting.extend(jobs)
        self._fill_slots()
        del self._asked[line]
        self._spare.append(line)
        self._pull_if_hungry()

    async def _beat(self) -> None:
        await asyncio.sleep(random.uniform(0, BEAT_S))
        while True:
            sent_at = time.perf_counter()
            (await self._say(self._heart, "heartbeat", epoch=self._epoch, held=list(self._held))).json()
            took = time.perf_counter() - sent_at
            self._tally.heartbeat_times.append(took)
            await asyncio.sleep(max(0.0, BEAT_S - took))

    async def _deliver(self) -> None:
        while True:
            await self._has_told.wait()
            self._has_told.clear()
            while self._told:
                batch, self._told = self._told[:_MOST_EVENTS], self._told[_MOST_EVENTS:]
                sent_at = time.perf_counter()
                reply = await self._say(self._teller, "callback", events=batch)
                self._tally.callback_times.append(time.perf_counter() - sent_at)
                self._tally.events += len(batch)
                if (applied := reply.body.count(b'"applied"')) != len(batch):
                    raise RuntimeError(f"{applied} of {len(batch)} events were applied: {reply.body[:1000].decode()}")
                self._held.difference_update(
                    str(event["lease_token"]) for event in batch if event["type"] == "job_finished"
                )
            self._pull_if_hungry()

    async def _say(self, line: Line, what: str, **fields: object) -> Reply:
        return await line.say(what, {"node_id": self.node_id, **fields})

    def _do(self, loop: Any) -> None:  # noqa: ANN401 - a coroutine
        task = asyncio.create_task(loop)
        self._tasks.add(task)
        task.add_done_callback(self._drop)

    def _drop(self, task: asyncio.Task[None]) -> None:
        """One that failed stays, for `check` to find."""
        if task.cancelled() or task.exception() is None:
            self._tasks.discard(task)
