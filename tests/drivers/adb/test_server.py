from __future__ import annotations

from pathlib import Path

import pytest

from corral.drivers.adb.driver import AdbDriver
from corral.drivers.adb.server import AdbServer
from corral.model.errors import ConfigInvalidError, DriverUnavailableError
from tests.drivers.adb.fake_server import OKAY, fake_server, text
from tests.drivers.conftest import kill
from tests.ports import free_port


async def test_a_server_is_started_where_none_listens_and_then_left_alone(adb_environment: dict[str, str]) -> None:
    server = AdbServer(port=free_port(), environment=adb_environment)
    try:
        await server.ensure()
        first = await server.query("host:version")
        await server.ensure()

        assert await server.query("host:version") == first
        assert await server.query("host:devices-l") == ""
    finally:
        await kill(server.port)


async def test_a_server_that_is_there_is_used_whoever_started_it(tmp_path: Path) -> None:
    async with fake_server({}) as fake:
        # There is no such program, so that starting one would fail.
        await AdbServer(port=fake.port, program=tmp_path / "adb").ensure()

    assert fake.requests == ["host:version"]


async def test_a_server_that_is_too_old_is_refused_and_not_killed() -> None:
    async with fake_server({"host:version": OKAY + text("0020")}) as fake:
        with pytest.raises(DriverUnavailableError, match=r"1\.0\.32: 1\.0\.36 or newer is needed"):
            await fake.server.ensure()

    assert fake.requests == ["host:version"]


@pytest.mark.parametrize("answer", [b"OKAY0000", b"OKAY0004zzzz", b"HTTP"])
async def test_something_else_on_the_port_is_told_apart(answer: bytes) -> None:
    async with fake_server({"host:version": answer}) as fake:
        with pytest.raises(DriverUnavailableError):
            await fake.server.ensure()


async def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DriverUnavailableError, match=f"no adb program at {tmp_path / 'adb'}"):
        await AdbServer(port=free_port(), program=tmp_path / "adb").ensure()


async def test_a_program_that_fails_is_repeated_in_its_own_words(tmp_path: Path) -> None:
    program = tmp_path / "adb"
    program.write_text("#!/bin/sh\necho no such luck: $* >&2\nexit 3\n")
    program.chmod(0o755)
    port = free_port()

    with pytest.raises(DriverUnavailableError, match=f"no such luck: -P {port} start-server"):
        await AdbServer(port=port, program=program).ensure()


async def test_no_server_is_started_on_another_computer() -> None:
    # A name that cannot be resolved fails at once, without the network.
    with pytest.raises(DriverUnavailableError, match="start one there"):
        await AdbServer(host="adb.invalid", port=1).ensure()


def test_a_port_in_the_environment_that_is_none_is_named() -> None:
    with pytest.raises(ConfigInvalidError, match="'often' is not a port") as caught:
        AdbDriver(environment={"ANDROID_ADB_SERVER_PORT": "often"})

    assert caught.value.path == "ANDROID_ADB_SERVER_PORT"
