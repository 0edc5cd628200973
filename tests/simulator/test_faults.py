"""Faults as the real adb meets them."""

import asyncio
from collections.abc import Awaitable, Callable

from corral.simulator import Fleet
from corral.simulator.record import Entry
from corral.simulator.scenario.model import Crash, Disconnect, Drip, Hang, Phones, When
from tests.simulator.adb import Adb, AdbPhone

Ended = Callable[[str], Awaitable[Entry]]


async def ended(fleet: Fleet, line: str) -> Entry:
    return await fleet.record.wait_for(lambda entry: entry.line == line and entry.outcome is not None)


async def test_a_hanging_command_never_answers_while_others_do(fleet: Fleet, phone: AdbPhone) -> None:
    fleet.inject(Hang(when=When(match="^input")))
    hung = await phone.adb.begin("-s", phone.address, "shell", "input tap 1 1")
    await fleet.record.wait_for(lambda entry: entry.line == "input tap 1 1")

    assert (await phone("shell", "echo alive")).out == b"alive\n"
    assert hung.returncode is None

    hung.kill()
    await hung.wait()
    assert (await ended(fleet, "input tap 1 1")).outcome == "cancelled"


async def test_dripping_output_arrives_whole(fleet: Fleet, phone: AdbPhone) -> None:
    fleet.inject(Drip(interval_s=0.001))

    assert (await phone("shell", "echo drop by drop; echo e >&2; exit 4")) == (4, b"drop by drop\n", b"e\n")


async def test_a_crash_cuts_the_command_and_the_phone_comes_back(fleet: Fleet, phone: AdbPhone) -> None:
    fleet.inject(Crash(delay_s=0.05, when=When(match="^sleep", nth=1)))

    said = await phone("shell", "sleep 100")

    assert said.status != 0
    assert (await ended(fleet, "sleep 100")).outcome == "cut"
    assert (await phone("wait-for-device")).status == 0
    assert (await phone("shell", "echo back")).out == b"back\n"


async def test_a_dropped_hub_takes_only_its_own_phones(adb: Adb) -> None:
    async with Fleet(4) as fleet:
        phones = [AdbPhone(adb, address) for address in fleet.addresses]
        for phone in phones:
            await adb("connect", phone.address)
        busy = [asyncio.create_task(phone("shell", "sleep 1.2; echo done")) for phone in phones]
        for each in fleet.phones:
            await fleet.record.wait_for(lambda entry, serial=each.serial: entry.phone == serial)  # type: ignore[misc]

        fleet.inject(Disconnect(id="hub", phones=Phones(indexes="1-2")))
        said = await asyncio.gather(*busy)

        assert [each.out for each in said] == [b"", b"", b"done\n", b"done\n"]
        assert [await phone.state() for phone in phones] == ["offline", "offline", "device", "device"]
        fleet.clear("hub")
        for phone in phones:
            assert (await phone("wait-for-device")).status == 0
            await adb("disconnect", phone.address)
