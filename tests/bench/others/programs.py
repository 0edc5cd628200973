"""Programs that are measured: run to their end, or as a pair of a worker that waits and a sender."""

import asyncio
import contextlib
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final
from urllib.parse import parse_qs, urlsplit

import msgspec

READY_S: Final = 60
WARM_UP: Final = 20
"""So many jobs come first and are not counted: connections, plans and compilers get ready."""

_LONGEST_LINE: Final = 2**20


@dataclass(frozen=True)
class Program:
    """What to start, and in which environment beyond ours."""

    words: Sequence[str | Path]
    environment: Mapping[str, str] = field(default_factory=dict)

    def told(self, *arguments: object, environment: Mapping[str, str] | None = None) -> "Program":
        """The same program with more to say to it."""
        words = (*self.words, *(str(argument) for argument in arguments))
        return Program(words, {**self.environment, **(environment or {})})


async def run(program: Program, *, within_s: float) -> str:
    """What a program printed. Raises RuntimeError with its last words when it fails, TimeoutError when it does not end."""
    async with _started(program) as started, asyncio.timeout(within_s):
        output, _ = await started.process.communicate()
        if started.process.returncode:
            raise RuntimeError(started.last_words())
    return output.decode()


async def measure_latency(worker: Program, sender: Program, *, samples: int) -> list[float]:
    """How many milliseconds each job took from before its enqueuing until its handler started.

    The worker says `ready`, gets `work WARM_UP SAMPLES` as its last arguments, and prints the waits in nanoseconds as a list.
    """
    async with _started(worker.told("work", WARM_UP, samples)) as started:
        if (said := await started.next_line(within_s=READY_S)) != "ready":
            raise RuntimeError(f"the worker is not ready: {said}")
        within_s = READY_S + 0.1 * (samples + WARM_UP)
        await run(sender.told("send", WARM_UP, samples), within_s=within_s)
        waits = msgspec.json.decode(await started.next_line(within_s=within_s), type=list[int])
    if len(waits) != samples:
        raise RuntimeError(f"{len(waits)} jobs of {samples} were started")
    return [wait / 1e6 for wait in waits]


@dataclass(frozen=True)
class _Started:
    process: asyncio.subprocess.Process
    errors: IO[bytes]

    async def next_line(self, *, within_s: float) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(within_s):
            line = await self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.last_words())
        return line.decode().strip()

    def last_words(self) -> str:
        self.errors.seek(0)
        return self.errors.read().decode() or "it ended without a word"


@asynccontextmanager
async def _started(program: Program) -> AsyncIterator[_Started]:
    # What it complains of goes to a file: a pipe that nobody reads would stop it some day.
    with tempfile.TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            *program.words, env={**os.environ, **program.environment}, limit=_LONGEST_LINE,
            stdout=asyncio.subprocess.PIPE, stderr=errors, start_new_session=True,
        )  # fmt: skip
        try:
            yield _Started(process, errors)
        except TimeoutError as error:
            raise TimeoutError(f"{' '.join(map(str, program.words))} takes too long") from error
        finally:
            # With whatever it started: a `node` may be a wrapper around the real one.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.communicate()  # to its end: a pipe with something in it keeps a process from being gone


def libpq_variables(url: str) -> dict[str, str]:
    """A database's URL as the environment that every client of PostgreSQL understands."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    return {
        "PGHOST": query.get("host", [parts.hostname or "127.0.0.1"])[0],
        "PGPORT": query.get("port", [str(parts.port or 5432)])[0],
        "PGUSER": parts.username or "",
        "PGDATABASE": parts.path.removeprefix("/"),
    }
