"""`corral simulate` as a process."""

import asyncio
import os
import socket
from pathlib import Path

import msgspec

from corral.cli.simulate import ranges
from corral.simulator.control import Control
from corral.simulator.limits import allow_sockets
from corral.simulator.screen.read import read_screen
from tests.simulator.adb import Adb, AdbPhone
from tests.simulator.host import Host
from tests.simulator.process import simulating
from tests.warm import start_corral


async def refused(*args: str) -> tuple[int | None, str]:
    process = await start_corral("simulate", *args, env=dict(os.environ))
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode, (out + err).decode()


async def test_a_hundred_phones_in_one_process(adb: Adb, tmp_path: Path) -> None:
    async with simulating(
        tmp_path, "--devices", "100", "--seed", "5", "--record", str(tmp_path / "record")
    ) as simulator:
        phone = AdbPhone(adb, simulator.addresses[99])
        await adb("connect", phone.address)
        picture = (await phone("exec-out", "screencap", "-p")).out
        async with await Control.connect(simulator.control_port) as control:
            listed = await control.phones()
        await adb("disconnect", phone.address)
        status, _ = await simulator.stop()

    assert [each.address for each in listed] == simulator.addresses
    assert listed[99].serial in read_screen(picture)[0]
    assert status == 0
    recorded = [msgspec.json.decode(line) for line in (tmp_path / "record").read_bytes().splitlines()]
    assert [(line["phone"], line["outcome"]) for line in recorded] == [(listed[99].serial, "exited")]


async def test_two_jobs_on_one_phone_are_told_at_the_end_with_status_3(adb: Adb, tmp_path: Path) -> None:
    async with simulating(tmp_path, "--devices", "1") as simulator:
        phone = AdbPhone(adb, simulator.addresses[0])
        await adb("connect", phone.address)
        await phone("shell", ": corral-job=b fence=2")
        await phone("shell", ": corral-job=a fence=1")
        await adb("disconnect", phone.address)
        status, err = await simulator.stop()

    assert status == 3
    assert "stale_fence: job a acted with fence 1 after job b had come with 2" in err


async def test_a_scenario_that_makes_no_sense_ends_the_command_with_one_line(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("faults: [{kind: explode}]")

    status, out = await refused("--scenario", str(tmp_path / "bad.yaml"))

    assert status == 2
    assert out == "corral: the scenario is not valid: Invalid value 'explode' - at `$.faults[0].kind`\n"


async def test_a_number_of_phones_that_cannot_be_is_refused() -> None:
    status, out = await refused("--devices", "0")

    assert status != 0
    assert "--devices" in out


async def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()

        status, out = await refused("--port-base", str(taken.getsockname()[1]))

    assert status == 2
    assert out.startswith("corral: a port cannot be listened on: ")


async def test_a_thousand_phones_fit_into_a_gigabyte(tmp_path: Path) -> None:
    allow_sockets(2_000)  # this process has one to each phone, and an ordinary user begins with 1,024
    async with simulating(tmp_path, "--devices", "1000", is_warm=False) as simulator:
        hosts = [await Host.connect(address) for address in simulator.addresses]
        for host in hosts:
            await host.greet()
            assert len(await host.run("am start -n dev.corral.demo/.MainActivity; screencap -p")) > 1000
        status = Path(f"/proc/{simulator.process.pid}/status").read_text()  # noqa: ASYNC240 - a test's own loop
        for host in hosts:
            host.writer.close()
        await simulator.stop()

    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert resident < 1_000_000  # KiB


def test_neighbouring_addresses_are_shown_as_ranges() -> None:
    listed = ["127.0.0.1:7002", "127.0.0.1:7001", "127.0.0.1:9", "127.0.0.1:7003"]

    assert ranges(listed) == ["127.0.0.1:9", "127.0.0.1:7001-7003"]
