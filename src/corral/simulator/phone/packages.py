"""What is installed on a phone, and Android's words for why something cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from corral.simulator.apk import ApkError, read_apk


class InstallError(Exception):
    """An installation or removal that Android refuses; the text is what it prints in `Failure […]`."""


@dataclass(slots=True)
class Package:
    """One package."""

    name: str
    label: str
    version_code: int = 1
    version_name: str = "1.0"
    is_system: bool = False
    size: int = 0
    permissions: frozenset[str] = frozenset()
    is_hidden: bool = False
    """Whether the launcher leaves it out: it has nothing to show."""

    def path(self) -> str:
        return f"/system/app/{self.label}/{self.label}.apk" if self.is_system else f"/data/app/{self.name}-1/base.apk"


_BUILT_IN: Final = (
    ("android", "Android System", 35, "15"),
    ("com.android.chrome", "Chrome", 650_000_000, "130.0.6723.58"),
    ("com.android.launcher3", "Launcher", 35, "15"),
    ("com.android.settings", "Settings", 35, "15"),
    ("com.android.shell", "Shell", 35, "15"),
    ("com.android.systemui", "System UI", 35, "15"),
)
DEMO: Final = "dev.corral.demo"


class Packages:
    """The packages of one phone."""

    def __init__(self, is_full: Callable[[], bool], *, added: Iterable[str] = ()) -> None:
        self._is_full = is_full
        self._installed = {
            name: Package(name, label, code, version, is_system=True) for name, label, code, version in _BUILT_IN
        }
        self._installed[DEMO] = Package(DEMO, "Corral Demo")
        self._installed |= {name: Package(name, name, is_hidden=True) for name in added}

    def get(self, name: str) -> Package | None:
        return self._installed.get(name)

    def all(self) -> list[Package]:
        return [self._installed[name] for name in sorted(self._installed)]

    def install(self, data: bytes, *, may_replace: bool = True, may_downgrade: bool = False) -> Package:
        """Install a package from its bytes. Raises InstallError."""
        try:
            apk = read_apk(data)
        except ApkError as error:
            raise InstallError(f"{error.reason}: {error}") from error
        if self._is_full():
            raise InstallError("INSTALL_FAILED_INSUFFICIENT_STORAGE: Failed to override installation location")
        former = self._installed.get(apk.package)
        if former and not may_replace:
            again = f"Attempt to re-install {apk.package} without first uninstalling."
            raise InstallError(f"INSTALL_FAILED_ALREADY_EXISTS: {again}")
        if former and apk.version_code < former.version_code and not may_downgrade:
            older = f"Update version code {apk.version_code} is older than current {former.version_code}"
            raise InstallError(f"INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected: {older}")
        package = Package(
            apk.package,
            apk.label or (former.label if former else apk.package),
            apk.version_code,
            apk.version_name,
            size=len(data),
        )
        self._installed[apk.package] = package
        return package

    def uninstall(self, name: str) -> None:
        """Raises InstallError when there is no such package, or it is a part of the system."""
        package = self._installed.get(name)
        if package is None or package.is_system:
            raise InstallError("DELETE_FAILED_INTERNAL_ERROR")
        del self._installed[name]
