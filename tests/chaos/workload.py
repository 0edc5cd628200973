"""Work for the farm: runs on phones and graphs of steps, some of them cancelled, for as long as the nemesis is at it."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import httpx
from msgspec import Struct

from tests.chaos.farm import Farm
from tests.chaos.graph import make_graph, make_recipe

_WRITE: Final[dict[str, Any]] = {
    "id": "write",
    "uses": "device.shell",
    "with": {"command": "echo {{ run.job_id }} {{ device.serial }} > /sdcard/who.txt; sleep 0.4"},
}
_READ: Final[list[dict[str, Any]]] = [
    {
        "id": "read",
        "uses": "assert.shell",
        "with": {"command": "cat /sdcard/who.txt", "equals": "{{ run.job_id }} {{ device.serial }}"},
    },
    {"id": "look", "uses": "device.screenshot", "probability": 0.3},
    {"id": "serial", "uses": "device.shell", "with": {"command": "getprop ro.serialno"}},
    {
        "id": "tell",
        "uses": "report",
        "with": {
            "message": "done",
            "data": {"job_id": "{{ run.job_id }}", "serial": "{{ steps.serial.output.stdout | trim }}"},
        },
    },
]
_PACES: Final = 20


def _recipe(name: str, between: list[dict[str, Any]]) -> dict[str, Any]:
    defaults = {"timeout_s": 20, "on_failure": "stop"}
    return {"name": name, "timeout_s": 90, "defaults": defaults, "steps": [_WRITE, *between, *_READ]}


# The long one touches its phone twice a second for longer than a lease: who loses the lease is in the middle of it.
RECIPES: Final = [
    _recipe("short", []),
    _recipe(
        "long",
        [
            {"id": f"pace_{n}", "uses": "device.shell", "with": {"command": "input tap 1 1; sleep 0.5"}}
            for n in range(_PACES)
        ],
    ),
]
_MOST_GOING: Final = {"device": 3, "distributed": 2}
_GRAPHS: Final = 12
_CANCELLED: Final = 0.12


class Asked(Struct, frozen=True, kw_only=True):
    """A run that a server acknowledged, and how many jobs it must have."""

    run_id: str
    jobs: int
    is_cancelled: bool


class Workload:
    """Starts runs while fewer than a few of their mode are going."""

    def __init__(self, farm: Farm) -> None:
        self._farm = farm
        self._chance = random.Random(farm.shape.seed + 1)
        self._dice = random.Random(farm.shape.seed + 2)
        self.graphs = {f"graph-{number}": make_graph(self._dice) for number in range(_GRAPHS)}
        self.asked: list[Asked] = []

    async def prepare(self) -> None:
        graphs = [make_recipe(name, graph, self._farm.steps_record) for name, graph in self.graphs.items()]
        for recipe in (*RECIPES, *graphs):
            await self._farm.ask("POST", "/api/workflows", body=recipe)

    async def go_on(self, seconds: float) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_going("device", seconds, start=self._start_on_phones))
            group.create_task(self._keep_going("distributed", seconds, start=self._start_graph))

    async def _keep_going(self, mode: str, seconds: float, *, start: Callable[[], Awaitable[None]]) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if await self._count_going(mode) < _MOST_GOING[mode]:
                    await start()
            except httpx.HTTPError:
                pass  # servers and database come and go; a run that was not acknowledged was not asked for
            await asyncio.sleep(0.5)

    async def until_over(self, seconds: float) -> bool:
        """Whether every run ended within so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if not [mode for mode in _MOST_GOING if await self._count_going(mode)]:
                    return True
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.5)
        return False

    async def _count_going(self, mode: str) -> int:
        runs = (await self._farm.ask("GET", "/api/runs?limit=50")).json()["runs"]
        return sum(run["finished_at"] is None and run["mode"] == mode for run in runs)

    async def _start_on_phones(self) -> None:
        target, jobs = self._choose_target()
        policy: dict[str, Any] = {"max_attempts": 20, "wait_timeout_s": 600, "grace_wait_s": 2}
        policy["offline"] = self._chance.choice(["wait", "skip"])
        if self._chance.random() < 0.3:
            policy["concurrency"] = self._chance.randint(1, 6)
        body = {"workflow": self._chance.choice(RECIPES)["name"], "target": target, "policy": policy}
        await self._start(body, jobs, self._chance)

    async def _start_graph(self) -> None:
        policy: dict[str, Any] = {"max_attempts": 20, "wait_timeout_s": 600}
        if self._dice.random() < 0.2:
            policy["concurrency"] = self._dice.randint(1, 4)
        await self._start({"workflow": self._dice.choice(list(self.graphs)), "policy": policy}, 1, self._dice)

    async def _start(self, body: dict[str, Any], jobs: int, chance: random.Random) -> None:
        run_id = (await self._farm.ask("POST", "/api/runs", body=body)).json()["run_id"]
        is_cancelled = chance.random() < _CANCELLED
        self.asked.append(Asked(run_id=run_id, jobs=jobs, is_cancelled=is_cancelled))
        if is_cancelled:
            await asyncio.sleep(chance.uniform(0, 4))
            await self._farm.ask("POST", f"/api/runs/{run_id}/cancel")

    def _choose_target(self) -> tuple[dict[str, Any], int]:
        phones = self._farm.shape.phones
        kind = self._chance.randrange(3)
        if kind == 0:
            return {"all": True}, phones
        if kind == 1:
            count = self._chance.randint(1, phones // 2)
            return {"any": count}, count
        last = self._chance.randint(2, phones)
        return {"indexes": [[1, last]]}, last
