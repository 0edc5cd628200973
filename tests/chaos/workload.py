"""Work for the farm: runs of several kinds, some of them cancelled, for as long as the nemesis is at it."""

import asyncio
import random
import time
from typing import Any, Final

import httpx
from msgspec import Struct

from tests.chaos.farm import Farm

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
_MOST_GOING: Final = 3
_CANCELLED: Final = 0.12


class Asked(Struct, frozen=True, kw_only=True):
    """A run that a server acknowledged, and how many jobs it must have."""

    run_id: str
    jobs: int
    is_cancelled: bool


class Workload:
    """Starts runs while fewer than a few are going."""

    def __init__(self, farm: Farm) -> None:
        self._farm = farm
        self._chance = random.Random(farm.shape.seed + 1)
        self.asked: list[Asked] = []

    async def prepare(self) -> None:
        for recipe in RECIPES:
            await self._farm.ask("POST", "/api/workflows", body=recipe)

    async def go_on(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if await self._count_going() < _MOST_GOING:
                    await self._start_one()
            except httpx.HTTPError:
                pass  # servers and database come and go; a run that was not acknowledged was not asked for
            await asyncio.sleep(0.5)

    async def until_over(self, seconds: float) -> bool:
        """Whether every run ended within so long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if await self._count_going() == 0:
                    return True
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.5)
        return False

    async def _count_going(self) -> int:
        runs = (await self._farm.ask("GET", "/api/runs?limit=50")).json()["runs"]
        return sum(run["finished_at"] is None for run in runs)

    async def _start_one(self) -> None:
        target, jobs = self._choose_target()
        policy: dict[str, Any] = {"max_attempts": 20, "wait_timeout_s": 600, "grace_wait_s": 2}
        policy["offline"] = self._chance.choice(["wait", "skip"])
        if self._chance.random() < 0.3:
            policy["concurrency"] = self._chance.randint(1, 6)
        body = {"workflow": self._chance.choice(RECIPES)["name"], "target": target, "policy": policy}
        run_id = (await self._farm.ask("POST", "/api/runs", body=body)).json()["run_id"]
        is_cancelled = self._chance.random() < _CANCELLED
        self.asked.append(Asked(run_id=run_id, jobs=jobs, is_cancelled=is_cancelled))
        if is_cancelled:
            await asyncio.sleep(self._chance.uniform(0, 4))
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
