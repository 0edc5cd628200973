"""A PostgreSQL at an address that stays, which can be killed whole and started again."""

import asyncio
import contextlib
import os
import signal
import time
from pathlib import Path

from corral.engine.embedded import find_binaries
from corral.engine.embedded.account import choose_account
from corral.engine.embedded.binaries import Programs
from corral.engine.embedded.postmaster import disown_pid_file, find_running, processes_in
from tests.ports import free_port

# Processes are killed here, and no machine loses its power: what was handed to the operating system is safe.
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
port = {port}
fsync = off
max_connections = 80
log_min_messages = warning
"""
_START_S = 60.0


class Database:
    """One cluster in a directory of its own."""

    def __init__(self, home: Path) -> None:
        self._pgdata = home / "pgdata"
        self._log = home / "postgresql.log"
        self._home = home
        self._port = free_port()

    @property
    def dsn(self) -> str:
        return f"postgresql://corral@127.0.0.1:{self._port}/postgres"

    async def make(self) -> None:
        await asyncio.to_thread(self._make)

    async def start(self) -> None:
        """Return once it answers; does nothing where it runs."""
        await asyncio.to_thread(self._start)

    async def kill(self) -> None:
        """All its processes at once."""
        for pid in await asyncio.to_thread(processes_in, self._pgdata):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def stop(self) -> None:
        await asyncio.to_thread(self._programs.run, "pg_ctl stop", "--mode=immediate", "--wait", pgdata=self._pgdata)

    def _make(self) -> None:
        self._home.mkdir()
        account = choose_account(self._home, self._pgdata)
        self._home.chmod(0o711)
        self._programs = Programs.reachable(find_binaries(), account)
        account.make_directory(self._pgdata)
        done = self._programs.run("initdb", "--auth=trust", "--username=corral", "--no-sync", pgdata=self._pgdata)
        assert done.returncode == 0, done.stdout
        configuration = self._pgdata / "postgresql.auto.conf"
        account.write_file(configuration, _SETTINGS.format(port=self._port))

    def _start(self) -> None:
        until = time.monotonic() + _START_S
        while find_running(self._pgdata, self._programs) is None:
            disown_pid_file(self._pgdata, self._programs)
            done = self._programs.run(
                "pg_ctl start", "--wait", "--silent", "--log={pgdata}/startup.log", pgdata=self._pgdata
            )
            if done.returncode == 0:
                return
            assert time.monotonic() < until, done.stdout
            time.sleep(0.2)
