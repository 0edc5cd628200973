"""The real adb binary, on a server of its own that knows nothing of other phones."""

import asyncio
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tests.ports import free_port

_PACKAGE = find_spec("adbutils")
assert _PACKAGE is not None
assert _PACKAGE.origin is not None
BINARY = Path(_PACKAGE.origin).parent / "binaries" / "adb"


class Said(NamedTuple):
    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode(errors="replace")


class Adb:
    """adb as a person uses it. Every call has a deadline; a hang is a failure."""

    def __init__(self, home: Path) -> None:
        self.port = free_port()
        self._environment = {
            **os.environ,
            "HOME": str(home),
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ANDROID_ADB_LOG_PATH": str(home / "adb.log"),
            "ADB_MDNS": "0",
            "ADB_USB": "0",
        }

    def start(self) -> None:
        subprocess.run([BINARY, "start-server"], env=self._environment, check=True, capture_output=True, timeout=60)

    def stop(self) -> None:
        subprocess.run([BINARY, "kill-server"], env=self._environment, check=False, capture_output=True, timeout=60)

    async def __call__(self, *args: str | Path, stdin: bytes = b"") -> Said:
        process = await self.begin(*args)
        try:
            out, err = await asyncio.wait_for(process.communicate(stdin), 60)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Said(process.returncode or 0, out, err)

    async def begin(self, *args: str | Path) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(
            BINARY, *args, env=self._environment, stdin=pipe, stdout=pipe, stderr=pipe
        )

    async def states(self) -> dict[str, str]:
        """What `adb devices` lists."""
        lines = (await self("devices")).text.splitlines()[1:]
        return dict(line.split("\t", 1) for line in lines if "\t" in line)


class AdbPhone:
    """adb with a phone chosen."""

    def __init__(self, adb: Adb, address: str) -> None:
        self.adb = adb
        self.address = address

    async def __call__(self, *args: str | Path, stdin: bytes = b"") -> Said:
        return await self.adb("-s", self.address, *args, stdin=stdin)

    async def state(self) -> str | None:
        return (await self.adb.states()).get(self.address)
