"""One trial, from a whole farm to a verdict."""

import asyncio
import time
from collections import Counter
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.chaos.checker import check
from tests.chaos.farm import Farm, Shape
from tests.chaos.history import History, count_untold, measure_clock, read_history
from tests.chaos.nemesis import Nemesis
from tests.chaos.plan import plan_acts
from tests.chaos.workload import Workload

_MOST_SETTLING_S = 240.0


class Verdict(Struct, kw_only=True):
    """What was tried, what came of it, and what was wrong."""

    violations: list[str]
    acts: dict[str, int]
    left_out: dict[str, int]
    """Acts that this machine does not allow."""

    jobs: dict[str, int]
    runs: int
    commands: int
    steps: dict[str, int]
    executions: int
    requests: int
    restarts: int
    settled_s: float


async def try_to_break(folder: Path, shape: Shape, *, seconds: float) -> Verdict:
    """Let the nemesis at a farm for so long; then mend everything, wait for the end of all runs, and judge."""
    acts = plan_acts(shape.seed, seconds=seconds, lease_s=shape.lease_s)
    async with Farm.running(folder, shape) as farm:
        shift_s = await measure_clock(farm)
        workload, nemesis = Workload(farm), Nemesis(farm, folder / "acts.jsonl")
        await workload.prepare()
        async with asyncio.TaskGroup() as group:
            group.create_task(workload.go_on(seconds))
            group.create_task(nemesis.carry_out(acts))
        mended_at = time.monotonic()
        await workload.until_over(_MOST_SETTLING_S)
        settled_s = time.monotonic() - mended_at
        await _until_told(farm)
        restarts = sum(program.restarts for program in (*farm.nodes.values(), *farm.servers))
        for node in farm.nodes.values():
            await node.stop()
        farm.proxy.flush()
        history = await read_history(farm, workload, shift_s=shift_s)
        (folder / "history.json").write_bytes(msgspec.json.encode(history))
    return _judge(history, nemesis, restarts=restarts, settled_s=settled_s)


def _judge(history: History, nemesis: Nemesis, *, restarts: int, settled_s: float) -> Verdict:
    return Verdict(
        violations=check(history),
        acts=dict(nemesis.done),
        left_out=dict(nemesis.left_out),
        jobs=dict(Counter(job.status for job in history.jobs)),
        runs=len(history.runs),
        commands=len(history.commands),
        steps=dict(Counter(step.status for step in history.steps)),
        executions=len(history.executions),
        requests=len(history.exchanges),
        restarts=restarts,
        settled_s=round(settled_s, 1),
    )


async def _until_told(farm: Farm) -> None:
    """Until the nodes' spools are empty, or a while has passed: what is left then is a violation."""
    for _ in range(120):
        if not await count_untold(farm):
            return
        await asyncio.sleep(0.5)
