"""What every driver does: watch which phones there are, and drive one of them. One conformance suite tests them all.

A driver knows nothing of jobs, leases or retries: it does one thing once and says what happened. Timeouts are the
caller's (`asyncio.timeout`): a call that is cancelled stops the command on the device as far as the way there allows,
and leaves nothing running in the node. Input (taps, text, keys) is a shell command on every driver.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from corral.model.states import Connection


class Sighting(Struct, frozen=True, kw_only=True):
    """One phone as the driver sees it now."""

    serial: str
    """The hardware serial: the same through replugging, another port, and a move between USB and Wi-Fi."""

    handle: str
    """What the driver reaches it by, for as long as it stays connected."""

    connection: Connection
    is_node_scoped: bool = False
    """Whether other nodes may have a phone of the same serial, as with emulators."""

    model: str | None = None
    os_version: str | None = None
    message: str | None = None
    """What a person should know or do, such as confirming the authorisation on the phone."""


class ShellResult(Struct, frozen=True):
    """How a command of the device's shell ended."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        """The output as text, without the trailing line break; what is not UTF-8 is replaced."""
        return self.stdout.decode(errors="replace").rstrip("\r\n")


class Phone(Protocol):
    """One phone, by its handle. Errors are those of model/errors.py that derive from DeviceError."""

    @property
    def handle(self) -> str: ...

    def under(self, may_touch: Callable[[], bool], /) -> Phone:
        """The same phone, for somebody whose right to touch it may end.

        Asked right before each request that goes to the phone, however long that waited, also those of which a call takes
        several (`install`). Where it says no, the call raises TouchForbiddenError, and the phone hears nothing of it.
        """
        ...

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        """Run a command line. Output beyond the limit is read and dropped; the exit code is the command's own."""
        ...

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        """Run a command line and hand on its output, both kinds as one, while it comes; the exit code.

        A way to the phone that carries nothing before the end hands on all of it then.
        """
        ...

    async def screenshot(self) -> bytes:
        """The screen as a PNG, checked to be a whole one; raises DeviceError rather than return anything else."""
        ...

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        """Copy a file to the device; whole, or an error."""
        ...

    async def pull(self, path: str, target: Path) -> None:
        """Copy a file from the device to a new file; whole, or an error and no file."""
        ...

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        """Install a package with options of `pm install`; raises CommandFailedError with the device's own words."""
        ...

    async def reboot(self) -> None:
        """Ask the device to restart. Returns once it was asked; it disconnects soon after."""
        ...

    async def reconnect(self) -> None:
        """Break and renew the way to the device: the first rung of the ladder."""
        ...

    async def call(self, action: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever the vendor answers
        """A call in the driver's own words; raises NotSupportedError where it has none."""
        ...


class Driver(Protocol):
    """One way to phones: an adb server, a vendor's program."""

    @property
    def name(self) -> str: ...

    def watch(self) -> AsyncGenerator[list[Sighting], None]:
        """All phones now, and again all of them whenever anything changed. Reconnects for ever; never raises for trouble.

        An empty list while the way itself is away (adb server gone) says that no phone can be reached.
        """
        ...

    def phone(self, handle: str) -> Phone: ...

    async def discover(self, addresses: Sequence[str] = ()) -> list[str]:
        """Look for more phones: at these addresses (`host:port`, `host:port-port`), and wherever the driver looks.

        Returns a line for each address that failed. What was found shows up in `watch`.
        """
        ...

    async def aclose(self) -> None: ...
