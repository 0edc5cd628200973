from __future__ import annotations

import asyncio

import pytest

from corral.drivers.adb.admission import Admission
from corral.drivers.adb.phone import AdbPhone
from corral.model.errors import DeviceOfflineError, DriverUnavailableError, TouchForbiddenError
from tests.drivers.adb.fake_server import OKAY, fail, fake_server, never


async def test_a_phone_that_was_asked_and_keeps_silent_may_have_begun() -> None:
    async with fake_server({"exec:screencap -p": never}) as fake:
        with pytest.raises(DeviceOfflineError, match=r"P did not answer within 0.05 s") as caught:
            await AdbPhone(fake.services_with(handshake_s=0.05), "P").screenshot()

    assert caught.value.is_started


async def test_a_server_that_keeps_silent_before_the_phone_is_asked_proves_that_nothing_began() -> None:
    async with fake_server({"host:transport:P": never}) as fake:
        with pytest.raises(DeviceOfflineError) as caught:
            await AdbPhone(fake.services_with(handshake_s=0.05), "P").screenshot()

    assert not caught.value.is_started


async def test_no_more_calls_than_the_limit_are_open_at_once() -> None:
    release = asyncio.Event()

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await release.wait()

    async with fake_server({"reboot:": wait}) as fake:
        services = fake.services_with(limit=3)
        calls = [asyncio.create_task(AdbPhone(services, "P").reboot()) for _ in range(10)]
        for _ in range(3):
            await fake.arrivals.get()
        release.set()
        await asyncio.gather(*calls)

    assert fake.most_open == 3


async def test_a_command_whose_lease_ends_while_it_waits_for_its_turn_never_reaches_the_phone() -> None:
    release = asyncio.Event()
    is_live = True

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await release.wait()

    async with fake_server({"reboot:": wait}) as fake:
        phone = AdbPhone(fake.services_with(limit=1), "P")
        working = asyncio.create_task(phone.reboot())
        await fake.arrivals.get()
        waiting = asyncio.create_task(phone.under(lambda: is_live).reboot())
        await asyncio.sleep(0)  # it has begun to wait
        is_live = False
        release.set()
        await working
        with pytest.raises(TouchForbiddenError):
            await waiting

    assert fake.requests.count("reboot:") == 1


async def test_probes_are_admitted_while_all_of_the_work_hangs() -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(OKAY)
        await never(reader, writer)

    async with fake_server({"exec:screencap -p": hang, "exec:probe": OKAY}) as fake:
        services = fake.services_with(limit=1)
        working = asyncio.create_task(AdbPhone(services, "P").screenshot())
        await fake.arrivals.get()
        async with services.admission.probing(), services.opened("P", "exec:probe", is_probe=True):
            pass
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_a_phone_that_fails_again_and_again_is_left_in_peace_for_a_while() -> None:
    async with fake_server({"exec:screencap -p": fail("closed")}) as fake:
        phone = AdbPhone(fake.services, "P")
        services = phone._services
        for _ in range(3):
            with pytest.raises(DeviceOfflineError):
                await phone.screenshot()
        asked = len(fake.requests)
        with pytest.raises(DeviceOfflineError, match="failed 3 times") as caught:
            await phone.screenshot()
        assert not caught.value.is_started
        assert len(fake.requests) == asked

        services.forget("P")
        with pytest.raises(DeviceOfflineError, match="closed"):
            await phone.screenshot()


async def test_the_pause_of_one_phone_is_not_that_of_another_and_ends() -> None:
    now = 0.0
    admission = Admission(clock=lambda: now)
    for _ in range(10):
        admission.failed("broken", "closed")

    async with admission.working("other"):
        pass
    with pytest.raises(DeviceOfflineError):
        async with admission.working("broken"):
            pass

    now = 60.0
    async with admission.working("broken"):
        pass


async def test_a_server_that_is_away_is_not_held_against_the_phone(unused_tcp_port: int) -> None:
    async with fake_server({"exec:screencap -p": fail("closed")}) as fake:
        services = fake.services
        services.server.port = unused_tcp_port
        for _ in range(5):
            with pytest.raises(DriverUnavailableError):
                await AdbPhone(services, "P").screenshot()
