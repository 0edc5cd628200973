"""Packages: making small ones for tests and demos, and reading what an installer needs from any.

A simulated package is a zip with `corral-package.json`: {"package": "…", "version_code": 1, "version_name": "1.0"}.
Of a real APK, the binary AndroidManifest.xml is read. Nothing of a package is ever executed.
"""

from __future__ import annotations

import io
import zipfile
from typing import Final

import msgspec
from msgspec import Struct

from corral.model.reading import read_json
from corral.simulator.manifest import ManifestError, read_manifest

_OWN: Final = "corral-package.json"
_REAL: Final = "AndroidManifest.xml"
_MAX_ENTRY: Final = 16 << 20


class ApkError(Exception):
    """These bytes are no package; the message is for people, `reason` is Android's word."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Apk(Struct, frozen=True, kw_only=True):
    """What an installer needs to know."""

    package: str
    version_code: int = 1
    version_name: str = "1.0"
    label: str | None = None


def make_apk(
    package: str, version_code: int = 1, version_name: str = "1.0", *, label: str | None = None, padding: int = 0
) -> bytes:
    """A package that simulated phones install, with so many bytes of ballast. The same arguments give the same bytes."""
    buffer = io.BytesIO()
    about = Apk(package=package, version_code=version_code, version_name=version_name, label=label)
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_OWN), msgspec.json.encode(about))
        if padding:
            archive.writestr(zipfile.ZipInfo("assets/padding"), b"\0" * padding)
    return buffer.getvalue()


def read_apk(data: bytes) -> Apk:
    """Whose package it is, and which version. Raises ApkError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            if _OWN in names:
                return read_json(_entry(archive, _OWN), Apk)
            if _REAL in names:
                manifest = read_manifest(_entry(archive, _REAL))
                return Apk(
                    package=manifest.package, version_code=manifest.version_code, version_name=manifest.version_name
                )
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise ApkError("INSTALL_PARSE_FAILED_NOT_APK", f"Failed to parse base.apk: {error}") from error
    except (msgspec.DecodeError, ManifestError) as error:
        raise ApkError("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", f"Failed to parse base.apk: {error}") from error
    raise ApkError("INSTALL_PARSE_FAILED_BAD_MANIFEST", "Failed to parse base.apk: AndroidManifest.xml is missing")


def _entry(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as entry:
        return entry.read(_MAX_ENTRY)
