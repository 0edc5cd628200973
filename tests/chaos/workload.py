"""Work for the farm: runs of several kinds, some of them cancelled, for as long as the nemesis is at it."""

import asyncio
import random
import time
from typing import Any, Final

import httpx
from msgspec import Struct

from tests.chaos.farm import Farm

RECIPE: Final[dict[str, Any]] = {
    "name": "who",
    "timeout_s": 60,
    "defaults": {"timeout_s": 20, "on_failure": "stop"},
    "steps": [
        {
            "id": "write",
            "uses": "device.shell",
            "with": {"command": "echo {{ run.job_id }} {{ device.serial }} > /sdcard/who.txt; sleep 0.4"},
        },
        {
            "id": "read",
            "uses": "assert.shell",
            "with": {
                "command": "sleep 0.3; cat /sdcard/who.txt",
                "equals": "{{ run.job_id }} {{ device.serial }}",
            },
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
    ],
}
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
        await self._farm.ask("POST", "/api/workflows", body=RECIPE)

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
        body = {"workflow": "who", "target": target, "policy": policy}
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
