from __future__ import annotations

import random
from pathlib import Path

import pytest

from corral.model.errors import CommandFailedError, DeviceError
from corral.simulator.apk import make_apk
from corral.simulator.phone.files import Files
from corral.simulator.scenario.model import Setup, StorageFull
from tests.drivers.conformance.conftest import MakeRig
from tests.drivers.conformance.rig import Rig


def files_of(rig: Rig) -> Files:
    return rig.fleet.phones[0].files


@pytest.mark.parametrize("size", [0, 1, 65_536, 5_000_000])
async def test_a_file_goes_there_and_back_unchanged(rig: Rig, tmp_path: Path, size: int) -> None:
    data = random.Random(size).randbytes(size)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(data)

    await rig.phone().push(source, "/sdcard/Download/it's a file", mode=0o600)
    assert files_of(rig).read("/sdcard/Download/it's a file") == data

    await rig.phone().pull("/sdcard/Download/it's a file", target)
    assert target.read_bytes() == data
    assert sorted(path.name for path in tmp_path.iterdir()) == ["source", "target"]


async def test_a_file_takes_the_place_of_another(rig: Rig, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for data in (b"the first, and longer", b"second"):
        source.write_bytes(data)
        await rig.phone().push(source, "/data/local/tmp/x")

    assert files_of(rig).read("/data/local/tmp/x") == b"second"
    assert files_of(rig).names("/data/local/tmp") == ["x"]


async def test_a_file_that_is_not_there_is_an_error_and_leaves_none(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(CommandFailedError, match="No such file or directory"):
        await rig.phone().pull("/sdcard/nothing", tmp_path / "x")

    assert list(tmp_path.iterdir()) == []


async def test_a_directory_cannot_be_pulled(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(DeviceError):
        await rig.phone().pull("/sdcard/Download", tmp_path / "x")

    assert list(tmp_path.iterdir()) == []


async def test_a_place_that_cannot_be_written_is_an_error_in_the_phones_words(rig: Rig, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 2_000_000)

    with pytest.raises(CommandFailedError, match=r"/system/x: .*(Read-only file system|Permission denied)"):
        await rig.phone().push(source, "/system/x")


async def test_a_full_phone_is_an_error_in_its_words(rig: Rig, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"x" * 100_000)
    rig.fleet.inject(StorageFull())

    with pytest.raises(CommandFailedError, match="No space left on device"):
        await rig.phone().push(source, "/sdcard/x")


async def test_a_local_file_that_is_not_there_is_named(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="nothing cannot be read"):
        await rig.phone().push(tmp_path / "nothing", "/sdcard/x")


@pytest.mark.parametrize("cmd", [True, False])
async def test_a_package_is_installed(make_rig: MakeRig, tmp_path: Path, cmd: bool) -> None:  # noqa: FBT001 - two kinds
    path = tmp_path / "app.apk"
    path.write_bytes(make_apk("org.example.app"))

    async with make_rig(setup=Setup(cmd=cmd)) as rig:
        await rig.phone().install(path, ["-r", "-g"])

        assert "package:org.example.app" in (await rig.phone().shell("pm list packages")).text
        assert files_of(rig).names("/data/local/tmp") == []


@pytest.mark.parametrize("cmd", [True, False])
async def test_a_package_that_is_refused_is_an_error_in_the_phones_words(
    make_rig: MakeRig,
    tmp_path: Path,
    cmd: bool,  # noqa: FBT001 - two kinds
) -> None:
    path = tmp_path / "app.apk"
    path.write_bytes(b"not a package")

    async with make_rig(setup=Setup(cmd=cmd)) as rig:
        with pytest.raises(CommandFailedError, match=r"app\.apk was not installed: INSTALL_PARSE_FAILED_NOT_APK"):
            await rig.phone().install(path)

        assert files_of(rig).names("/data/local/tmp") == []
