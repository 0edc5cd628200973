"""Ask a phone how it is, in one cheap command. What it does not say, or says in a way nobody knows, is None.

Reads what Android 5 to 16 print, and never fails for a line that it cannot read. It judges nothing: see gates.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from corral.drivers.protocol import Phone

_MARK: Final = "--corral--"
COMMAND: Final = f"dumpsys battery; echo {_MARK}; df /data; echo {_MARK}; getprop sys.boot_completed"

_FIELD = re.compile(r"^\s*([A-Za-z][A-Za-z ]*?)\s*:\s*(\S+)\s*$", re.MULTILINE)
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]+)?)([KMGT]?)i?B?\Z")
_KIB: Final = {"": 1.0, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3}
_CHARGING, _DISCHARGING, _NOT_CHARGING = "2", "3", "4"


class HealthSample(Struct, frozen=True, kw_only=True):
    """What a phone said of itself."""

    battery_percent: float | None = None
    temperature_c: float | None = None
    is_charging: bool | None = None
    free_storage_mb: int | None = None
    is_booted: bool = False


async def probe(phone: Phone) -> HealthSample:
    """How the phone is now; raises DeviceError if it cannot be asked."""
    result = await phone.shell(COMMAND)
    return read_sample(result.text)


def read_sample(output: str) -> HealthSample:
    """The output of COMMAND as a sample."""
    battery, storage, booted = (*output.replace("\r", "").split(_MARK), "", "")[:3]
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(battery):
        fields.setdefault(name.lower(), value)
    return HealthSample(
        battery_percent=_percent(fields),
        temperature_c=_celsius(fields),
        is_charging=_is_charging(fields),
        free_storage_mb=_free_mb(storage),
        is_booted=booted.strip() == "1",
    )


def _percent(fields: dict[str, str]) -> float | None:
    """The charge. Phones that run from a power supply in place of a battery have none, whatever level they invent."""
    level, scale = _number(fields.get("level")), _number(fields.get("scale")) or 100.0
    if level is None or fields.get("present") == "false" or not 0 <= level <= scale:
        return None
    return round(100.0 * level / scale, 1)


def _celsius(fields: dict[str, str]) -> float | None:
    tenths = _number(fields.get("temperature"))
    return tenths / 10 if tenths is not None and -500 <= tenths <= 1500 else None  # noqa: PLR2004 - no phone lives beyond


def _is_charging(fields: dict[str, str]) -> bool | None:
    status = fields.get("status")
    if status == _CHARGING:
        return True
    if status in (_DISCHARGING, _NOT_CHARGING):
        return False
    powered = [value for name, value in fields.items() if name.endswith(" powered")]
    return "true" in powered if powered else None


def _free_mb(output: str) -> int | None:
    """What `df` has as available: the column before the percentage (toybox), or the one named Free (before Android 6)."""
    header, _, rows = output.strip().partition("\n")
    words = rows.split()
    use = next((index for index, word in enumerate(words) if re.fullmatch(r"\d+%", word)), None)
    if use:
        return _mebibytes(words[use - 1])
    titles = header.split()
    if "Free" in titles and len(words) > titles.index("Free"):
        return _mebibytes(words[titles.index("Free")])
    return None


def _mebibytes(word: str) -> int | None:
    match = _SIZE.match(word)
    return None if match is None else int(float(match[1]) * _KIB[match[2]] / 1024)


def _number(word: str | None) -> float | None:
    return float(word) if word is not None and re.fullmatch(r"-?\d{1,9}(?:\.\d+)?", word) else None
