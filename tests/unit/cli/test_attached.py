"""Which phones of this computer `corral up` works with, where nobody said."""

import asyncio
from pathlib import Path

import pytest

from corral.cli.attached import advise_phones, has_vendor, load_attached
from corral.node.config import NodeConfig
from tests.drivers.vendor.fake_program import failure, fake_program, success


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (path := tmp_path / "farm.toml").touch()
    return path


@pytest.fixture
def decided(tmp_path: Path) -> Path:
    (path := tmp_path / "decided.toml").write_text("[node]\ndrivers = ['none']\n", encoding="utf-8")
    return path


async def drivers(file: Path, url: str, **environ: str) -> list[str]:
    told = {"CORRAL_NODE_VENDOR_URL": url, **environ}
    return (await asyncio.to_thread(load_attached, {"drivers": None}, told, file=file)).drivers


async def test_a_vendors_program_that_answers_is_used_beside_adb(file: Path) -> None:
    async with fake_program({"list": success([])}) as fake:
        assert await drivers(file, fake.url) == ["adb", "vendor"]


async def test_drivers_that_were_named_are_the_only_ones_and_nobody_is_asked(file: Path, decided: Path) -> None:
    async with fake_program({"list": success([])}) as fake:
        assert await drivers(file, fake.url, CORRAL_NODE_DRIVERS="adb") == ["adb"]
        assert await drivers(decided, fake.url) == ["none"]

    assert fake.requests == []


async def test_what_is_silent_or_something_else_is_no_vendors_program(file: Path) -> None:
    async with fake_program({"list": failure("who?")}) as fake:
        assert await drivers(file, fake.url) == ["adb"]
    assert await drivers(file, fake.url) == ["adb"]
    assert not await has_vendor("ws://192.0.2.1:22222")
    assert not await has_vendor("ws://[")


def test_the_advice_fits_the_ways_to_phones() -> None:
    def advise(*drivers: str, simulated: int = 0) -> str:
        return advise_phones(NodeConfig(drivers=list(drivers)) if drivers else None, simulated=simulated)

    assert (
        advise("adb", "vendor")
        == advise("adb")
        == "attach one by USB with USB debugging on, or start with --simulate 20"
    )
    assert advise("vendor").startswith("attach one to the vendor's program at ws://127.0.0.1:22222, or start with")
    assert advise("none") == advise() == "start with --simulate 20"
    assert advise("adb", simulated=5) == "5 simulated ones are on their way"
