"""Start `corral`: forked from a process that has loaded it, or, where that is not the same, as a program."""

import asyncio
import atexit
import functools
import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

NUMBER = struct.Struct("!i")
_ROOT = Path(__file__).parents[2]
_ON_TERMINAL = """
import os, sys
os.login_tty(0)
os.execv(sys.executable, [sys.executable, "-m", "corral.cli", *sys.argv[1:]])
"""
_attending: set[asyncio.Task[None]] = set()


class Process(Protocol):
    """What tests use of `asyncio.subprocess.Process`."""

    stdout: asyncio.StreamReader | None
    stderr: asyncio.StreamReader | None
    pid: int

    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    async def communicate(self) -> tuple[bytes, bytes]: ...
    def send_signal(self, signal: int) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


async def start_corral(
    *arguments: object,
    env: Mapping[str, str],
    directory: Path | None = None,
    log: Path | None = None,
    is_warm: bool = True,
    terminal: int | None = None,
) -> Process:
    """`corral` with these arguments, exactly this environment, and nothing to read. What it says goes to `log`, or can be read.

    A warm one's environment cannot be seen from outside, and it shares memory with others. One with a terminal, given by
    its descriptor, has that for all it reads and says, is interrupted by its Ctrl-C, and is not warm.
    """
    words = [str(argument) for argument in arguments]
    if terminal is not None:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _ON_TERMINAL, *words), env=env, cwd=directory, stdin=terminal, stdout=terminal
        )
    if not is_warm or sys.platform != "linux":
        assert log is None
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "corral.cli", *words),
            env=env,
            cwd=directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    request = {"arguments": words, "environment": dict(env), "directory": str(directory or Path.cwd())}
    return await _WarmProcess.start(json.dumps(request).encode(), log)


class _WarmProcess:
    def __init__(self, pid: int, outputs: "list[_Output]") -> None:
        self.pid = pid
        self.stdout: asyncio.StreamReader | None = outputs[0].reader if outputs else None
        self.stderr: asyncio.StreamReader | None = outputs[1].reader if outputs else None
        self.returncode: int | None = None
        self._outputs = outputs
        self._has_ended = asyncio.Event()

    @classmethod
    async def start(cls, request: bytes, log: Path | None) -> "_WarmProcess":
        ours, theirs = socket.socketpair()
        pipes = [os.pipe(), os.pipe()] if log is None else []
        nothing = os.open(os.devnull, os.O_RDONLY)
        said = [writing for _, writing in pipes] or [_open_log(log), _open_log(log)]
        given = [nothing, *said, theirs.fileno()]
        socket.send_fds(_nursery(), [request], given)
        for descriptor in given[:-1]:
            os.close(descriptor)
        theirs.close()
        outputs = [await _Output.open(reading) for reading, _ in pipes]
        line, writer = await asyncio.open_connection(sock=ours)
        (pid,) = NUMBER.unpack(await line.readexactly(NUMBER.size))
        process = cls(pid, outputs)
        attending = asyncio.create_task(process._attend(line, writer))
        _attending.add(attending)
        attending.add_done_callback(_attending.discard)
        return process

    async def _attend(self, line: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until it has ended and all that it said was read, or until the test ends."""
        try:
            (self.returncode,) = NUMBER.unpack(await line.readexactly(NUMBER.size))
            self._has_ended.set()
            for output in self._outputs:
                await output.is_over.wait()  # a child of it may have it still
        finally:
            writer.close()
            for output in self._outputs:
                output.transport.close()

    async def wait(self) -> int:
        await self._has_ended.wait()
        assert self.returncode is not None
        return self.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        assert self.stdout is not None
        assert self.stderr is not None
        out, err = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        return out, err

    def send_signal(self, signal: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has ended, and the word of it is on its way
                os.kill(self.pid, signal)

    def terminate(self) -> None:
        self.send_signal(15)

    def kill(self) -> None:
        self.send_signal(9)


def _open_log(path: Path | None) -> int:
    assert path is not None
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


class _Output(asyncio.StreamReaderProtocol):
    """What a process says on one of its streams, until nobody can say more on it."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader()
        self.is_over = asyncio.Event()
        self.transport: asyncio.BaseTransport
        super().__init__(self.reader)

    @classmethod
    async def open(cls, descriptor: int) -> "_Output":
        pipe = os.fdopen(descriptor, "rb", buffering=0)
        _, output = await asyncio.get_running_loop().connect_read_pipe(cls, pipe)
        return output

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_over.set()
        super().connection_lost(error)


@functools.cache
def _nursery() -> socket.socket:
    """The socket of this process's nursery, which ends when the socket is closed: with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    nursery = subprocess.Popen(
        [sys.executable, "-m", "tests.warm.nursery", str(theirs.fileno())],
        cwd=_ROOT,
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        nursery.wait()

    atexit.register(end)
    return ours
