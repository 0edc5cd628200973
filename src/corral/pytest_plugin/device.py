"""The phone that a test gets: held in a session, its adb on a local port, both gone when the test is done."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from corral.client import Client
from corral.client.hold import Hold
from corral.client.tunnels import AdbTunnel
from corral.drivers.adb.binary import find_adb
from corral.model.errors import CorralError
from corral.pytest_plugin.settings import Settings

_COMMAND_S: Final = 60.0
_CONNECT_S: Final = 60.0
_PAUSE_S: Final = 0.2
_WORDS: Final = 2_000


class AdbFailedError(Exception):
    """An adb command failed: its words are the message, what it printed is in `result`."""

    def __init__(self, message: str, result: subprocess.CompletedProcess[bytes] | None = None) -> None:
        super().__init__(message)
        self.result = result


class CorralDevice:
    """One phone. `adb_address` is its serial for adb and for whatever else takes one; `environment` names it to programs."""

    def __init__(self, hold: Hold, tunnel: AdbTunnel, *, program: Path, output: Path) -> None:
        self._hold = hold
        self._tunnel = tunnel
        self._program = program
        self.output = output

    @property
    def serial(self) -> str:
        """The phone's own serial, as the farm knows it."""
        return self._hold.device.serial

    @property
    def index(self) -> int:
        """Its number in the farm."""
        return self._hold.device.index

    @property
    def model(self) -> str | None:
        return self._hold.device.model

    @property
    def os_version(self) -> str | None:
        return self._hold.device.os_version

    @property
    def session_id(self) -> str:
        return str(self._hold.session.session_id)

    @property
    def adb_address(self) -> str:
        return self._tunnel.address

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment, in which adb and its like mean this phone."""
        return {**os.environ, "ANDROID_SERIAL": self.adb_address}

    def adb(
        self, *arguments: str | Path, timeout_s: float = _COMMAND_S, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        """Run adb on the phone. Raises AdbFailedError for an exit code other than 0, and when it takes too long."""
        result = self._run("-s", self.adb_address, *arguments, timeout_s=timeout_s, stdin=stdin)
        if result.returncode != 0:
            raise AdbFailedError(self._explain(arguments, result), result)
        return result

    def shell(self, command: str, *, timeout_s: float = _COMMAND_S) -> str:
        """What a command of the phone's shell printed, without the last line break. Raises AdbFailedError as `adb` does."""
        printed = self.adb("shell", command, timeout_s=timeout_s).stdout
        return printed.decode(errors="replace").rstrip("\r\n")

    def screenshot(self) -> bytes:
        """The screen as a PNG."""
        picture = self.adb("exec-out", "screencap", "-p").stdout
        if not picture.startswith(b"\x89PNG"):
            raise AdbFailedError(f"{self.serial} gave no picture: {picture[:100]!r}")
        return picture

    def install(self, apk: str | Path, *options: str, timeout_s: float = 300.0) -> None:
        """Install a package, with options of `adb install`, in the place of one that is there."""
        self.adb("install", "-r", *options, Path(apk), timeout_s=timeout_s)

    def connect(self) -> None:
        """Have adb know the phone. Raises AdbFailedError when it does not come up in time."""
        deadline = time.monotonic() + _CONNECT_S
        while True:
            said = self._run("connect", self.adb_address, timeout_s=_COMMAND_S).stdout
            state = self._run("-s", self.adb_address, "get-state", timeout_s=_COMMAND_S)
            if state.returncode == 0 and state.stdout.strip() == b"device":
                return
            if time.monotonic() > deadline:
                words = self._tunnel.trouble or said.decode(errors="replace").strip()
                raise AdbFailedError(f"adb does not reach {self.serial}: {words}")
            self._check()
            time.sleep(_PAUSE_S)

    def disconnect(self) -> None:
        """Have adb forget the phone."""
        self._run("disconnect", self.adb_address, timeout_s=_COMMAND_S)

    def _run(self, *arguments: str | Path, timeout_s: float, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [str(self._program), *map(str, arguments)]
        try:
            return subprocess.run(command, capture_output=True, check=False, timeout=timeout_s, input=stdin)  # noqa: S603 - the test says what to run
        except subprocess.TimeoutExpired as error:
            self._check()
            words = " ".join(map(str, arguments))
            raise AdbFailedError(f"adb {words} took longer than {timeout_s:g} s on {self.serial}") from error

    def _explain(self, arguments: tuple[str | Path, ...], result: subprocess.CompletedProcess[bytes]) -> str:
        self._check()
        words = (result.stderr or result.stdout).decode(errors="replace").strip()[:_WORDS]
        return f"adb {' '.join(map(str, arguments))} ended with {result.returncode} on {self.serial}: {words}"

    def _check(self) -> None:
        """A phone that was taken away is the reason for whatever else went wrong."""
        try:
            self._hold.check()
        except CorralError as error:
            raise AdbFailedError(f"{self.serial} is no longer held: {error.message}") from error


@contextmanager
def hold_device(settings: Settings) -> Iterator[CorralDevice]:
    """A phone for the length of a block; where there is none, the test fails in words, without a trace through our code."""
    with ExitStack() as stack:
        try:
            program = find_adb()
            client = stack.enter_context(Client.from_config(settings.client))
            hold = stack.enter_context(
                client.sessions.hold(
                    tags=settings.tags, ttl_s=settings.ttl_s, purpose=settings.purpose, wait_s=settings.wait_s
                )
            )
            tunnel = stack.enter_context(client.tunnels.open(hold.session.session_id))
        except CorralError as error:
            pytest.fail(f"corral: no phone: {error.message}", pytrace=False)
        device = CorralDevice(hold, tunnel, program=program, output=settings.output)
        stack.callback(device.disconnect)
        device.connect()
        yield device
