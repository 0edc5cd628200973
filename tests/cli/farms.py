"""`corral up` and `corral demo` as processes, and whatever they leave behind."""

import asyncio
import os
import re
import signal
import termios
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from tests.cli.conftest import Cli
from tests.warm import Process


class FarmProcess:
    """A farm that is up, or about to be, and what it has said."""

    def __init__(self, process: Process, mark: str) -> None:
        self.process = process
        self.said = ""
        self._mark = mark

    async def until(self, pattern: str) -> re.Match[str]:
        """The first line, from the next one on, with something in it; fails if the process ends first."""
        assert self.process.stdout is not None
        while line := (await self.process.stdout.readline()).decode():
            self.said += line
            if found := re.search(pattern, line):
                return found
        raise AssertionError(f"no {pattern!r} in:\n{self.said}")

    async def interrupt(self) -> int:
        """Ctrl-C, and the exit status."""
        self.process.send_signal(signal.SIGINT)
        return await self.end()

    async def end(self) -> int:
        out, err = await self.process.communicate()
        self.said += out.decode() + err.decode()
        assert "Traceback" not in self.said, self.said
        return self.process.returncode or 0

    def pids(self, words: str = "") -> list[int]:
        """Every process that lives, is of this farm, and has words in its command line."""
        return [pid for pid, command in _living(self._mark) if words in command and pid != self.process.pid]


class TerminalFarm(FarmProcess):
    """A farm on a terminal: what it has said is what was drawn, and Ctrl-C is a key."""

    def __init__(self, process: Process, mark: str, keyboard: int) -> None:
        super().__init__(process, mark)
        self._keyboard = keyboard

    async def until(self, pattern: str) -> re.Match[str]:
        """What is drawn, from now on; fails if the process ends first."""
        begun = len(self.said)
        while (found := re.search(pattern, self.said[begun:])) is None:
            assert await self._read(), f"no {pattern!r} in:\n{self.said}"
        return found

    async def interrupt(self) -> int:
        os.write(self._keyboard, b"\x03")
        return await self.end()

    async def end(self) -> int:
        while await self._read():
            pass
        await self.process.wait()
        assert "Traceback" not in self.said, self.said
        return self.process.returncode or 0

    async def _read(self) -> bool:
        try:
            drawn = await asyncio.to_thread(os.read, self._keyboard, 65536)
        except OSError:  # whoever had the terminal is gone
            return False
        self.said += drawn.decode(errors="replace")
        return True


@asynccontextmanager
async def farming(directory: Path, *arguments: object, **env: str) -> AsyncIterator[FarmProcess]:
    """A farm whose processes can be told from all others, by their environment or, PostgreSQL's, by where they work."""
    with _marked() as (temporary, mark):
        cli = Cli(directory, TMPDIR=temporary, FARM_OF_A_TEST=mark)
        process = await cli.start(*arguments, env=env, is_warm=False)  # told by its environment
        async with _ending(process, temporary, mark):
            yield FarmProcess(process, mark)


@asynccontextmanager
async def making(directory: Path, *words: str) -> AsyncIterator[FarmProcess]:
    """The same, started by `make` in a directory with a Makefile."""
    with _marked() as (temporary, mark):
        process = await asyncio.create_subprocess_exec(
            *("make", *words),
            env=Cli(directory, TMPDIR=temporary, FARM_OF_A_TEST=mark).environment,
            cwd=directory,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with _ending(process, temporary, mark):
            yield FarmProcess(process, mark)


@asynccontextmanager
async def farming_on_terminal(directory: Path, *arguments: object) -> AsyncIterator[TerminalFarm]:
    """The same, as a person sees it."""
    keyboard, terminal = os.openpty()
    try:
        termios.tcsetwinsize(terminal, (40, 120))
        with _marked() as (temporary, mark):
            cli = Cli(directory, TMPDIR=temporary, FARM_OF_A_TEST=mark, TERM="xterm-256color")
            try:
                process = await cli.start(*arguments, terminal=terminal)
            finally:
                os.close(terminal)
            async with _ending(process, temporary, mark):
                yield TerminalFarm(process, mark, keyboard)
    finally:
        os.close(keyboard)


@contextmanager
def _marked() -> Iterator[tuple[str, str]]:
    """A directory for what is temporary, and a word that only this farm's processes know."""
    with TemporaryDirectory(prefix="c-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o755)  # as /tmp, which others of this farm work in, too
        yield temporary, str(Path(temporary).name) + uuid4().hex[:8]


@asynccontextmanager
async def _ending(process: Process, temporary: str, mark: str) -> AsyncIterator[None]:
    """Nothing of a farm is left when its test ends, and when that went well, nothing was."""
    try:
        yield
        assert process.returncode is not None, "a test ends with its farm"
        assert _left_in(Path(temporary)) == []
    finally:
        for pid, _ in _living(mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await process.wait()


def _left_in(directory: Path) -> list[str]:
    return [path.name for path in directory.glob("corral-*")]


def _living(mark: str) -> list[tuple[int, str]]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = (entry / "environ").read_bytes().decode(errors="replace")
        except OSError:  # it ended just now, or is another user's
            continue
        if mark in environment or f"/{mark[:-8]}/" in command:
            found.append((int(entry.name), command))
    return found
