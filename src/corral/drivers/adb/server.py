"""The adb server that this node talks to: whether it is there, and starting it if it is not.

A server that is already there is used as it is, whoever started it, and none is ever killed: other programs of this
computer may be using it. Only watching and discovering start one; a call to a phone never does so behind one's back.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Final

from corral.drivers.adb.binary import find_adb
from corral.drivers.adb.connection import Connection
from corral.model.errors import DriverUnavailableError
from corral.telemetry import logger

DEFAULT_PORT: Final = 5037
ANSWER_S: Final = 10.0
START_S: Final = 30.0
# shell v2, the oldest thing that everything here builds on, came with 1.0.36.
OLDEST_VERSION: Final = 36
_WORDS: Final = 2000
_VERSION: Final = re.compile("[0-9a-fA-F]{1,8}")

_log = logger(__name__)


class AdbServer:
    """One server by its address."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = DEFAULT_PORT,
        program: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`program` is the adb to start a server with, found if not given; `environment` is what it then runs in."""
        self.host = host
        self.port = port
        self._program = program
        self._environment = environment
        self._starting = asyncio.Lock()

    async def connect(self) -> Connection:
        """Raises DriverUnavailableError; starts nothing."""
        return await Connection.open(self.host, self.port)

    async def query(self, request: str, *, handle: str | None = None, within_s: float = ANSWER_S) -> str:
        """Ask for something that is answered in one string. Raises what a FAIL means; TimeoutError past the deadline."""
        async with asyncio.timeout(within_s):
            connection = await self.connect()
            try:
                await connection.request(request, handle=handle)
                return await connection.read_string()
            finally:
                connection.abort()

    async def ensure(self) -> None:
        """Have a server that answers, starting one on this computer if none listens. Raises DriverUnavailableError."""
        async with self._starting:
            if not await self._is_listening():
                await self._start()
            await self._check_version()

    async def _is_listening(self) -> bool:
        try:
            async with asyncio.timeout(ANSWER_S):
                connection = await self.connect()
        except (DriverUnavailableError, TimeoutError):
            return False
        connection.abort()
        return True

    async def _check_version(self) -> None:
        try:
            told = await self.query("host:version")
        except TimeoutError as error:
            raise DriverUnavailableError(f"what listens at {self.host}:{self.port} does not answer as adb") from error
        if not _VERSION.fullmatch(told):
            raise DriverUnavailableError(f"what listens at {self.host}:{self.port} has no adb version")
        version = int(told, 16)
        if version < OLDEST_VERSION:
            raise DriverUnavailableError(
                f"the adb server at {self.host}:{self.port} is version 1.0.{version}: 1.0.{OLDEST_VERSION} or newer is "
                "needed. Stop it with `adb kill-server` and update the platform tools"
            )

    async def _start(self) -> None:
        if not _is_loopback(self.host):
            raise DriverUnavailableError(f"no adb server answers at {self.host}:{self.port}: start one there")
        program = await asyncio.to_thread(find_adb, self._program, environment=self._environment)
        _log.info("starting an adb server", port=self.port, program=str(program))
        # A file rather than a pipe: the server inherits it and outlives the command, and a pipe would never end.
        with tempfile.TemporaryFile() as words:
            code = await self._run(program, words)
            if code != 0:
                words.seek(0)
                said = words.read(_WORDS).decode(errors="replace").strip()
                raise DriverUnavailableError(f"{program} could not start an adb server on port {self.port}: {said}")

    async def _run(self, program: Path, words: IO[bytes]) -> int:
        try:
            process = await asyncio.create_subprocess_exec(
                str(program),
                *("-P", str(self.port), "start-server"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                env=None if self._environment is None else dict(self._environment),
            )
        except OSError as error:
            raise DriverUnavailableError(f"{program} cannot be run: {error}") from error
        try:
            async with asyncio.timeout(START_S):
                return await process.wait()
        except TimeoutError as error:
            raise DriverUnavailableError(f"{program} did not start an adb server within {START_S:g} s") from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
