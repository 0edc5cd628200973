"""What is known against a package, what came of asking, and which findings are put up with: until when, and why."""

import tomllib
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

from tests.audit.pins import ROOT, Pin

EXCEPTIONS: Final = ROOT / "requirements" / "audit-exceptions.toml"


@dataclass(frozen=True)
class Advisory:
    """A known vulnerability of a pin. `fixed_in` is empty where nobody names a release without it."""

    pin: Pin
    ids: tuple[str, ...]
    """The registry's own id first, then what others call it."""

    fixed_in: str
    summary: str

    def __str__(self) -> str:
        fixed = f"fixed in {self.fixed_in}" if self.fixed_in else "no fixed release is named"
        return f"{self.pin}: {', '.join(self.ids)}: {self.summary or 'no summary'} ({fixed})"


@dataclass(frozen=True)
class Audit:
    """What came of asking a registry. What is not in `audited` was not: `reason` says why."""

    what: str
    audited: int
    of: int
    reason: str = ""
    advisories: list[Advisory] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.audited:
            return f"{self.what}: not audited: {self.reason}"
        missing = f"; {self.of - self.audited} not audited: {self.reason}" if self.audited < self.of else ""
        return f"{self.what}: {self.audited} of {self.of} packages audited{missing}"


class Exemption(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding that is put up with until a day, for a reason."""

    id: str
    package: str
    until: date
    reason: str

    def covers(self, advisory: Advisory, *, today: date) -> bool:
        """Whether it is about this one, and still holds."""
        return self.id in advisory.ids and self.package == advisory.pin.name and today <= self.until


class _Exemptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    exception: list[Exemption] = []


def read_exemptions(file: Path = EXCEPTIONS) -> list[Exemption]:
    """Raises ValueError that names what is wrong with the file."""
    try:
        read = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _Exemptions).exception
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(f"{file.name}: {error}") from error
    for exemption in read:
        if not exemption.reason.strip():
            raise ValueError(f"{file.name}: {exemption.id} of {exemption.package} has no reason")
    return read
