"""Executes a plan against a farm, and puts everything right again at the end. What it did is written down."""

import asyncio
import contextlib
import errno
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import IO

import msgspec

from corral.simulator.scenario.model import Crash, Disconnect, Fault, Hang, Latency, Phones, When
from tests.chaos.farm import NODES, Farm
from tests.chaos.plan import WAKE, Act
from tests.chaos.programs import Program
from tests.drivers.conftest import kill

_FAR_S = 86_400 * 400


class Nemesis:
    """Several acts may be under way at once; two never at the same part."""

    def __init__(self, farm: Farm, path: Path) -> None:
        self._farm = farm
        self._sink: IO[bytes] = path.open("wb")
        self._busy: set[str] = set()
        self._under_way: set[asyncio.Task[None]] = set()
        self.done: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        """What this machine does not allow."""

    async def carry_out(self, acts: list[Act]) -> None:
        """All acts at their times; then everything is whole again."""
        began = time.monotonic()
        for act in acts:
            await asyncio.sleep(max(0.0, began + act.at_s - time.monotonic()))
            task = asyncio.create_task(self._perform(act))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        while self._under_way:
            done, _ = await asyncio.wait(set(self._under_way))
            for task in done:
                task.result()
        await self._heal()

    async def _perform(self, act: Act) -> None:
        part, deed = self._choose(act)
        if part in self._busy:
            return
        self._busy.add(part)
        began = time.monotonic()
        try:
            if await deed() is False:
                self.left_out[act.kind] += 1
            else:
                self.done[act.kind] += 1
                self._tell(act.kind, part, began)
        finally:
            self._busy.discard(part)

    def _tell(self, kind: str, part: str, began_s: float) -> None:
        told = {"kind": kind, "part": part, "began_s": began_s, "ended_s": time.monotonic()}
        self._sink.write(msgspec.json.encode(told) + b"\n")

    def _choose(self, act: Act) -> tuple[str, Callable[[], Awaitable[bool | None]]]:
        node = NODES[act.which % len(NODES)]
        place = act.which % len(self._farm.servers)
        choices: dict[str, tuple[str, Callable[[], Awaitable[bool | None]]]] = {
            "kill_node": (node, lambda: self._kill(self._farm.nodes[node], act)),
            "pause_node": (node, lambda: self._pause_node(node, act)),
            "kill_server": (f"server {place}", lambda: self._kill(self._farm.servers[place], act)),
            "pause_server": (f"server {place}", lambda: self._pause(self._farm.servers[place], act)),
            "kill_database": ("database", lambda: self._kill_database(act)),
            "kill_adb": (f"adb {node}", lambda: kill(self._farm.adb_ports[node])),
            "cut_node": (f"network {node}", lambda: self._cut([node], act)),
            "cut_all": ("network", lambda: self._cut(list(NODES), act)),
            "mute_node": (node, lambda: self._mute(node, act)),
            "slow_network": (f"network {node}", lambda: self._worsen(node, act, most_delay_s=2 * act.amount)),
            "lose_replies": (f"network {node}", lambda: self._worsen(node, act, lost_replies=0.2 + 0.6 * act.amount)),
            "double_requests": (f"network {node}", lambda: self._worsen(node, act, doubled=0.2 + 0.6 * act.amount)),
            "fill_disk": (f"disk {node}", lambda: self._fill(node, act)),
            "jump_clock": (f"clock {node}", lambda: self._jump(node, act)),
            "trouble_phones": ("phones", lambda: self._trouble(act)),
        }
        return choices[act.kind]

    async def _kill(self, program: Program, act: Act) -> None:
        await program.kill()
        await asyncio.sleep(act.for_s)
        await program.start()

    async def _pause(self, program: Program, act: Act) -> None:
        program.pause()
        await asyncio.sleep(act.for_s)
        program.resume()

    async def _pause_node(self, node: str, act: Act) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._pause_and_tell(node, act))
            group.create_task(self._renew_neighbour(node, act))

    async def _pause_and_tell(self, node: str, act: Act) -> None:
        """When exactly it woke up is told apart: the act as a whole may take longer."""
        await self._pause(self._farm.nodes[node], act)
        self._tell(WAKE, node, time.monotonic())

    async def _renew_neighbour(self, node: str, act: Act) -> None:
        """Every other time the node with the same phones begins anew meanwhile: it reports them, and takes them over."""
        neighbour = NODES[NODES.index(node) ^ 1]
        if act.amount < 0.5 and neighbour not in self._busy:
            await self._farm.nodes[neighbour].kill()
            await self._farm.nodes[neighbour].start()

    async def _kill_database(self, act: Act) -> None:
        await self._farm.database.kill()
        await asyncio.sleep(act.for_s)
        await self._farm.database.start()

    async def _cut(self, nodes: list[str], act: Act) -> None:
        for node in nodes:
            self._farm.proxy.cut(node)
        if len(nodes) == 1:
            await self._renew_neighbour(nodes[0], act)
        await asyncio.sleep(act.for_s)
        for node in nodes:
            self._farm.proxy.weather[node].is_cut = False

    async def _mute(self, node: str, act: Act) -> None:
        """Nobody hears what it did; its agent is killed and begins anew, with the words of its predecessor on its disk."""
        weather, program = self._farm.proxy.weather[node], self._farm.nodes[node]
        weather.is_mute = True
        await asyncio.sleep(act.for_s * 0.3)
        await program.kill()
        await program.start()
        await asyncio.sleep(act.for_s * 0.7)
        weather.is_mute = False

    async def _worsen(self, node: str, act: Act, **weather: float) -> None:
        for name, value in weather.items():
            setattr(self._farm.proxy.weather[node], name, value)
        await asyncio.sleep(act.for_s)
        for name in weather:
            setattr(self._farm.proxy.weather[node], name, 0.0)

    async def _fill(self, node: str, act: Act) -> bool:
        """Leave no byte on the node's disk. A disk that is everybody's is left alone: False."""
        disk = self._farm.disks[node]
        if not disk.is_mount():
            return False
        filler = disk / "filler"
        await asyncio.to_thread(_fill_up, filler)
        await asyncio.sleep(act.for_s)
        filler.unlink(missing_ok=True)
        return True

    async def _jump(self, node: str, act: Act) -> None:
        path = self._farm.folder / f"{node}.clock"
        path.write_text(str((act.amount - 0.5) * 2 * _FAR_S))
        await asyncio.sleep(act.for_s)
        path.unlink()

    async def _trouble(self, act: Act) -> None:
        fraction = Phones(fraction=0.1 + 0.4 * act.amount)
        faults: list[Fault] = [
            Disconnect(phones=fraction),
            Disconnect(phones=fraction, when=When(every_s=1.5, for_s=0.5)),
            Hang(phones=fraction, when=When(match="who")),
            Latency(phones=fraction, seconds=1.0),
            Crash(phones=fraction, when=When(match="who", nth=1)),
        ]
        name, _ = await self._farm.control.inject(faults[act.which % len(faults)])
        await asyncio.sleep(act.for_s)
        await self._farm.control.clear(name)

    async def _heal(self) -> None:
        self._farm.proxy.clear()
        await self._farm.control.clear()
        await self._farm.database.start()
        for program in (*self._farm.servers, *self._farm.nodes.values()):
            program.resume()
            await program.start()
        for disk in self._farm.disks.values():
            (disk / "filler").unlink(missing_ok=True)
        self._sink.close()


def _fill_up(path: Path) -> None:
    block = bytes(64 << 10)
    with contextlib.suppress(OSError), path.open("ab", buffering=0) as file:
        try:
            while file.write(block) == len(block):
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
