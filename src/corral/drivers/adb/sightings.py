"""What the adb server lists and the phones say, as sightings. Pure: the watcher feeds it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from corral.drivers.adb.parse import Identity, Listed
from corral.drivers.protocol import Sighting
from corral.drivers.words import AUTHORIZE, PERMISSIONS
from corral.model.reading import read_count
from corral.model.states import Connection

_STATES: Final[dict[str, tuple[Connection, str]]] = {
    "offline": (Connection.OFFLINE, "adb lost it: replug it, or switch USB debugging off and on"),
    "unauthorized": (Connection.UNAUTHORIZED, AUTHORIZE),
    "authorizing": (Connection.UNAUTHORIZED, AUTHORIZE),
    "no permissions": (Connection.UNAUTHORIZED, PERMISSIONS),
    "connecting": (Connection.OFFLINE, "adb is connecting to it"),
    "recovery": (Connection.OFFLINE, "it is in recovery: restart it"),
    "rescue": (Connection.OFFLINE, "it is in rescue mode: restart it"),
    "sideload": (Connection.OFFLINE, "it waits for a sideload: restart it"),
    "bootloader": (Connection.OFFLINE, "it is in the bootloader: restart it"),
}
_BOOTING: Final = "it has not finished starting"
_UNASKED: Final = "it has not been asked yet how it is"
_LOOPBACK: Final = ("127.0.0.1", "localhost")


class Known(Struct, frozen=True, kw_only=True):
    """One listed device and what is known of it: `identity` once it answered, `trouble` while it does not."""

    listed: Listed
    identity: Identity | None = None
    trouble: str | None = None
    last: Identity | None = None
    """What the phone at this handle said when it last answered, maybe before it was plugged in anew."""


def see(devices: Iterable[Known]) -> list[Sighting]:
    """One sighting for each phone, by serial. A phone by two ways is one: the way that works, and USB before Wi-Fi.

    A phone over Wi-Fi that has never told its serial is left out: it would come back as another one as soon as it did.
    """
    known = list(devices)
    emulators = {each.listed.handle for each in known if each.listed.is_emulator}
    best: dict[str, tuple[tuple[bool, bool, str], Sighting]] = {}
    for device in known:
        if _emulator_behind(device.listed.handle) in emulators:
            continue
        sighting = _sight(device)
        if sighting is None:
            continue
        rank = (sighting.connection is not Connection.CONNECTED, not device.listed.is_usb, sighting.handle)
        if sighting.serial not in best or rank < best[sighting.serial][0]:
            best[sighting.serial] = (rank, sighting)
    return [best[serial][1] for serial in sorted(best)]


def _sight(device: Known) -> Sighting | None:
    listed, identity = device.listed, device.identity or device.last
    is_emulator = listed.is_emulator or (identity is not None and identity.is_emulator)
    # Emulators all tell the same serial, so it is their handle that tells them apart.
    serial = listed.handle if is_emulator else listed.own_serial or (identity.serial if identity else None)
    if serial is None:
        return None
    connection, message = _state(device)
    return Sighting(
        serial=serial,
        handle=listed.handle,
        connection=connection,
        is_node_scoped=is_emulator,
        model=(identity.model if identity else None) or listed.model,
        os_version=identity.os_version if identity else None,
        message=message,
    )


def _state(device: Known) -> tuple[Connection, str | None]:
    state = device.listed.state
    if state != "device":
        return _STATES.get(state, (Connection.OFFLINE, f"adb calls it '{state}'"))
    if device.trouble is not None:
        return Connection.OFFLINE, device.trouble
    if device.identity is None:
        return Connection.OFFLINE, _UNASKED
    return (Connection.CONNECTED, None) if device.identity.is_booted else (Connection.NOT_BOOTED, _BOOTING)


def _emulator_behind(handle: str) -> str | None:
    """An emulator's adb port is one above its console's, by which adb names it once it found it by itself."""
    host, _, port = handle.rpartition(":")
    number = read_count(port)
    return f"emulator-{number - 1}" if host in _LOOPBACK and number is not None else None
