"""The adb driver: one adb server and all the phones on it."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path

from corral.drivers.adb.admission import WORK_LIMIT, Admission
from corral.drivers.adb.discover import discover
from corral.drivers.adb.phone import AdbPhone
from corral.drivers.adb.server import DEFAULT_PORT, AdbServer
from corral.drivers.adb.services import HANDSHAKE_S, Services
from corral.drivers.adb.watcher import BOOT_POLL_S, PROBE_S, Watcher
from corral.drivers.protocol import Sighting
from corral.model.errors import ConfigInvalidError
from corral.model.reading import read_count


class AdbDriver:
    """See Driver. Holds nothing open between calls but what `watch` holds, and leaves the adb server running."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        program: Path | None = None,
        environment: Mapping[str, str] | None = None,
        limit: int = WORK_LIMIT,
        handshake_s: float = HANDSHAKE_S,
        probe_s: float = PROBE_S,
        boot_poll_s: float = BOOT_POLL_S,
    ) -> None:
        """Without a port, that of ANDROID_ADB_SERVER_PORT, then adb's own. `limit` is how many calls may be open."""
        if port is None:
            port = _usual_port(os.environ if environment is None else environment)
        self._server = AdbServer(host=host, port=port, program=program, environment=environment)
        self._services = Services(self._server, Admission(limit=limit), handshake_s=handshake_s)
        self._probe_s = probe_s
        self._boot_poll_s = boot_poll_s

    @property
    def name(self) -> str:
        return "adb"

    def watch(self) -> AsyncGenerator[list[Sighting], None]:
        return Watcher(self._services, boot_poll_s=self._boot_poll_s, probe_s=self._probe_s).sightings()

    def phone(self, handle: str) -> AdbPhone:
        return AdbPhone(self._services, handle)

    async def discover(self, addresses: Sequence[str] = ()) -> list[str]:
        return await discover(self._server, addresses)

    async def aclose(self) -> None:
        """Nothing to let go of: connections end with their calls."""


def _usual_port(environment: Mapping[str, str]) -> int:
    given = environment.get("ANDROID_ADB_SERVER_PORT") or str(DEFAULT_PORT)
    port = read_count(given)
    if port is None:
        raise ConfigInvalidError(f"'{given}' is not a port", path="ANDROID_ADB_SERVER_PORT")
    return port
