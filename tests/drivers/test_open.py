from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from corral.drivers.open import load_factories, open_driver
from corral.drivers.vendor.driver import VendorDriver
from corral.model.errors import ConfigInvalidError


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name=name, value=value, group="corral.drivers")


@pytest.mark.parametrize("name", ["adb", "vendor"])
def test_a_driver_is_opened_by_its_name(name: str) -> None:
    assert open_driver(name).name == name


def test_settings_are_handed_on() -> None:
    driver = open_driver("vendor", {"url": "ws://127.0.0.1:1"})

    assert isinstance(driver, VendorDriver)
    assert driver._client.url == "ws://127.0.0.1:1"


def test_a_driver_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(ConfigInvalidError, match="no driver 'telepathy'; there are adb, vendor"):
        open_driver("telepathy")


def test_a_setting_that_a_driver_does_not_have_is_named() -> None:
    with pytest.raises(ConfigInvalidError, match=r"refuses its settings: .*'speed'") as caught:
        open_driver("adb", {"speed": 11})

    assert caught.value.path == "drivers.adb"


def test_an_installed_package_offers_a_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tin_cans.py").write_text(
        "class TinCans:\n    name = 'tin_cans'\n    def __init__(self, string='long'):\n        self.string = string\n"
    )
    metadata = tmp_path / "tin_cans-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tin-cans\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[corral.drivers]\ntin_cans = tin_cans:TinCans\n")
    monkeypatch.syspath_prepend(tmp_path)

    driver = open_driver("tin_cans", {"string": "short"})

    assert driver.name == "tin_cans"
    assert vars(driver) == {"string": "short"}


@pytest.mark.parametrize(
    ("offer", "words"),
    [
        (point("adb", "json:loads"), "offers a driver 'adb', which there is already"),
        (point("other", "no_such_module:x"), r"'other' \(no_such_module:x\) cannot be loaded"),
        (point("other", "json:no_such_name"), "cannot be loaded"),
        (point("other", "math:pi"), "is no factory"),
    ],
)
def test_an_extension_that_offers_no_driver_is_named(offer: EntryPoint, words: str) -> None:
    with pytest.raises(ConfigInvalidError, match=words):
        load_factories([offer])
