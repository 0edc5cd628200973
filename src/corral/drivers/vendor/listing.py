"""What the program lists, as sightings. Entries that make no sense are left out, never guessed at."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Struct

from corral.drivers.protocol import Sighting
from corral.drivers.words import AUTHORIZE
from corral.model.errors import DeviceError
from corral.model.states import Connection

_USB: Final = "0"


class Entry(Struct, frozen=True, rename="camel"):
    """One phone of the list; the fields that matter here. Numbers come as numbers or as text."""

    serial: str
    only_serial: str = ""
    model: str | None = None
    mode: int | str | None = None
    status: int | str | None = None


def parse_list(data: Any) -> list[Sighting]:  # noqa: ANN401 - whatever the vendor answers
    """One sighting for each phone. Raises DeviceError if it is no list at all."""
    if data is None:
        return []
    if not isinstance(data, list):
        raise DeviceError(f"the vendor program's list is a {type(data).__name__}")
    found: dict[str, tuple[tuple[bool, bool], Sighting]] = {}
    for raw in data:
        try:
            entry = msgspec.convert(raw, Entry)
        except msgspec.ValidationError:
            continue
        serial = entry.only_serial or entry.serial
        if not serial or not entry.serial:
            continue
        sighting = _sight(entry, serial)
        rank = (sighting.connection is not Connection.CONNECTED, str(entry.mode) != _USB)
        if serial not in found or rank < found[serial][0]:
            found[serial] = (rank, sighting)
    return [found[serial][1] for serial in sorted(found)]


def _sight(entry: Entry, serial: str) -> Sighting:
    connection, message = _state("online" if entry.status is None else str(entry.status))
    return Sighting(
        serial=serial, handle=entry.serial, connection=connection, model=entry.model or None, message=message
    )


def _state(status: str) -> tuple[Connection, str | None]:
    """The program says `online`; of its other words only some are known."""
    match status.lower():
        case "online" | "device" | "1":
            return Connection.CONNECTED, None
        case "unauthorized":
            return Connection.UNAUTHORIZED, AUTHORIZE
        case "offline" | "0":
            return Connection.OFFLINE, "the vendor program cannot talk to it: replug it"
        case _:
            return Connection.OFFLINE, f"the vendor program calls it '{status}'"
