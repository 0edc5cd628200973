"""Suites of somebody else's, run by a pytest of their own with the plugin."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from tests.api.client import OPERATOR_TOKEN
from tests.simulator.adb import Adb

_OURS = re.compile(r"CORRAL_|COORDINATOR_|NODE_AGENT_|DATABASE_URL|ANDROID_|PYTEST_")


class Said(NamedTuple):
    status: int
    text: str


class Suite:
    """A directory with tests, and how to run them."""

    def __init__(self, directory: Path, adb: Adb, *, url: str, token: str = OPERATOR_TOKEN) -> None:
        self.directory = directory
        self._environment = {name: value for name, value in os.environ.items() if not _OURS.match(name)}
        self._environment |= {"CORRAL_URL": url, "CORRAL_TOKEN": token, "ANDROID_ADB_SERVER_PORT": str(adb.port)}
        # Plugins that only happen to be installed here would cost each worker seconds.
        self._environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "pytest.ini").write_text("[pytest]\n")

    def write(self, text: str) -> None:
        (self.directory / "test_theirs.py").write_text(text)

    async def run(self, *arguments: str) -> Said:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "pytest", "-p", "corral.pytest_plugin", "-p", "no:cacheprovider", *arguments),
            cwd=self.directory,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            out, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return Said(process.returncode or 0, out.decode(errors="replace"))
