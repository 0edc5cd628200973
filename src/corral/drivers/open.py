"""Drivers by name: those that Corral ships, and those of installed extensions (entry points `corral.drivers`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from corral.drivers.adb.driver import AdbDriver
from corral.drivers.protocol import Driver
from corral.drivers.vendor.driver import VendorDriver
from corral.model.errors import ConfigInvalidError

ENTRY_POINT_GROUP: Final = "corral.drivers"

Factory = Callable[..., Driver]
"""Given the driver's settings as keywords; returns it, connected to nothing yet."""

BUILT_IN: Final[Mapping[str, Factory]] = {"adb": AdbDriver, "vendor": VendorDriver}


def open_driver(name: str, settings: Mapping[str, Any] | None = None) -> Driver:
    """The driver of that name, with these settings. Raises ConfigInvalidError for one that is not there or refuses them."""
    factories = load_factories(entry_points(group=ENTRY_POINT_GROUP))
    factory = factories.get(name)
    if factory is None:
        known = ", ".join(sorted(factories))
        raise ConfigInvalidError(f"there is no driver '{name}'; there are {known}", path="drivers")
    try:
        return factory(**(settings or {}))
    except TypeError as error:
        raise ConfigInvalidError(
            f"the driver '{name}' refuses its settings: {error}", path=f"drivers.{name}"
        ) from error


def load_factories(points: Iterable[EntryPoint]) -> dict[str, Factory]:
    """The built-in drivers and those offered. Raises ConfigInvalidError, naming the culprit, for a name that is taken."""
    factories = dict(BUILT_IN)
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        if point.name in factories:
            raise ConfigInvalidError(
                f"the extension {point.value} offers a driver '{point.name}', which there is already"
            )
        try:
            offer = point.load()
        except (ImportError, AttributeError) as error:
            raise ConfigInvalidError(f"the driver '{point.name}' ({point.value}) cannot be loaded: {error}") from error
        if not callable(offer):
            raise ConfigInvalidError(f"the driver '{point.name}' ({point.value}) is no factory: it cannot be called")
        factories[point.name] = offer
    return factories
