"""What adb and the phone print, as data. Lines that make no sense are left out, never guessed at."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

# The state of a device that may not be opened is a whole sentence, which begins with these two words.
_LINE: Final = re.compile(r"^(?P<handle>\(no serial number\)|\S+)\s+(?P<state>no permissions|[a-z_]+)(?P<rest>\W.*)?$")
_DETAIL: Final = re.compile(r"\s(product|model|device|transport_id|usb):(\S+)")
_PROPERTY: Final = re.compile(r"^\[([^\]]+)\]: \[(.*?)\]\r?$", re.DOTALL | re.MULTILINE)
_TCP: Final = re.compile(r"^.+:\d+$")
# What adb names a phone that it found by mDNS: adb-<serial>-<random>._adb-tls-connect._tcp
_MDNS: Final = re.compile(r"^adb-(?P<serial>.+)-[A-Za-z0-9]{6}\._adb-tls-connect\._tcp\.?$")
_EMULATOR: Final = re.compile(r"^emulator-\d+$")
_UNKNOWN_SERIALS: Final = frozenset({"", "unknown", "????????????", "(no serial number)"})


class Listed(Struct, frozen=True, kw_only=True):
    """A line of `adb devices -l`."""

    handle: str
    state: str
    model: str | None = None
    transport_id: str | None = None

    @property
    def is_tcp(self) -> bool:
        return bool(_TCP.match(self.handle))

    @property
    def is_emulator(self) -> bool:
        return bool(_EMULATOR.match(self.handle))

    @property
    def is_usb(self) -> bool:
        return not (self.is_tcp or self.is_emulator or _MDNS.match(self.handle))

    @property
    def own_serial(self) -> str | None:
        """The hardware serial, where the handle tells it."""
        if found := _MDNS.match(self.handle):
            return found["serial"]
        if self.is_tcp or self.handle in _UNKNOWN_SERIALS:
            return None
        return self.handle


class Identity(Struct, frozen=True, kw_only=True):
    """What a phone says of itself."""

    serial: str | None
    model: str | None
    os_version: str | None
    is_emulator: bool
    is_booted: bool


def parse_devices(text: str) -> list[Listed]:
    """The lines of `devices -l` or of one message of `track-devices-l`."""
    found = []
    for line in text.splitlines():
        if not (match := _LINE.match(line)):
            continue
        details = dict(_DETAIL.findall(match["rest"] or ""))
        found.append(
            Listed(
                handle=match["handle"],
                state=match["state"],
                model=details["model"].replace("_", " ") if "model" in details else None,
                transport_id=details.get("transport_id"),
            )
        )
    return found


def parse_properties(text: str) -> dict[str, str]:
    """The output of `getprop`. A value may hold line breaks and brackets."""
    return dict(_PROPERTY.findall(text))


def parse_identity(properties: dict[str, str]) -> Identity:
    serials = (properties.get(name, "") for name in ("ro.serialno", "ro.boot.serialno"))
    return Identity(
        serial=next((serial for serial in serials if serial.lower() not in _UNKNOWN_SERIALS), None),
        model=properties.get("ro.product.model") or None,
        os_version=properties.get("ro.build.version.release") or None,
        is_emulator="1" in {properties.get("ro.kernel.qemu"), properties.get("ro.boot.qemu")},
        is_booted=properties.get("sys.boot_completed") == "1",
    )
