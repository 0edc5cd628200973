"""Promise: telling five hundred listeners fifty events a second, coalesced, costs a server process less than half a core.

The events are written at another process of the same farm, as any would do; what is measured is the process that tells.
"""

import asyncio
import time

from tests.api.client import AS_OPERATOR
from tests.api.process import ServerProcess, running
from tests.bench.databases import made_engine
from tests.bench.processes import memory_mb, processor_s
from tests.bench.report import Check
from tests.bench.wire import Wire

LISTENERS = 500
EVENTS_PER_S = 50
MOST_CORES = 0.5
MOST_MB = 150


async def check_sse(dsn: str, *, seconds: int) -> list[Check]:
    """Every listener hears every event, and the process that tells them is watched."""
    async with made_engine(dsn, "sse") as engine:
        url = engine.database.dsn
        async with (
            running("--database-url", url, is_warm=False) as teller,
            running("--database-url", url, is_warm=False) as writer,
        ):
            listeners = [await _Listener.open(teller) for _ in range(LISTENERS)]
            hearing = [asyncio.create_task(each.hear()) for each in listeners]
            began_at, used_s = time.perf_counter(), processor_s(teller.process.pid)
            count = await _write(writer, seconds=seconds)
            await asyncio.gather(*(each.until_heard(count) for each in listeners))
            took_s = time.perf_counter() - began_at
            cores = (processor_s(teller.process.pid) - used_s) / took_s
            megabytes = memory_mb(teller.process.pid)
            for listener, task in zip(listeners, hearing, strict=True):
                task.cancel()
                listener.close()
    print(f"  {count} events to {LISTENERS} listeners in {took_s:.1f} s, {megabytes:.0f} MB", flush=True)
    return [
        Check(
            name=f"a server process that tells {LISTENERS} streams {EVENTS_PER_S} events/s",
            found=f"{cores:.2f} cores",
            target=f"< {MOST_CORES} cores",
            is_kept=cores < MOST_CORES,
        ),
        Check(
            name="its memory",
            found=f"{megabytes:.0f} MB",
            target=f"< {MOST_MB} MB",
            is_kept=megabytes < MOST_MB,
        ),
    ]


async def _write(writer: ServerProcess, *, seconds: int) -> int:
    """Events at their pace, however long each takes; how many."""
    wire = await Wire.open(writer.url)
    began_at, count = time.perf_counter(), EVENTS_PER_S * seconds
    for number in range(count):
        await asyncio.sleep(max(0.0, began_at + number / EVENTS_PER_S - time.perf_counter()))
        event = {"agent_id": f"agent-{number % 20}", "type": "log", "payload": {"line": "compiled another module"}}
        reply = await wire.ask(wire.request("POST", "/v1/events", AS_OPERATOR, event))
        if reply.status != 201:
            raise RuntimeError(f"an event was answered {reply.status}")
    wire.close()
    return count


class _Listener:
    """A stream that counts the events that it is told."""

    def __init__(self, wire: Wire, reader: asyncio.StreamReader) -> None:
        self._wire = wire
        self._reader = reader
        self._heard = 0
        self._moved = asyncio.Event()

    @classmethod
    async def open(cls, server: ServerProcess) -> "_Listener":
        wire = await Wire.open(server.url)
        reader = wire.begin(wire.request("GET", "/v1/stream", AS_OPERATOR))
        await reader.readuntil(b"event: update")
        return cls(wire, reader)

    def close(self) -> None:
        self._wire.close()

    async def hear(self) -> None:
        while line := await self._reader.readline():
            if line.startswith(b"data: "):
                self._heard += line.count(b'"created_at"')
                self._moved.set()

    async def until_heard(self, count: int) -> None:
        while self._heard < count:
            self._moved.clear()
            await self._moved.wait()
