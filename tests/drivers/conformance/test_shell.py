from __future__ import annotations

import asyncio

import pytest

from corral.drivers.protocol import ShellResult
from corral.model.errors import DeviceError, DeviceOfflineError, OutcomeUnknownError
from corral.simulator.scenario.model import Crash, Disconnect, Drip, Hang, Latency, Phones, When
from tests.drivers.conformance.conftest import MakeRig
from tests.drivers.conformance.rig import Rig, eventually, watching

FIRST = Phones(indexes="1")


async def test_output_complaints_and_exit_code_come_apart(rig: Rig) -> None:
    result = await rig.phone().shell("echo one; echo two >&2; exit 7")

    assert result == ShellResult(7, b"one\n", b"two\n")


async def test_who_listens_hears_everything_and_the_exit_code(rig: Rig) -> None:
    heard = bytearray()

    code = await rig.phone().listen("echo one; echo two >&2; exit 7", heard.extend)

    assert code == 7
    assert sorted(heard.decode().split()) == ["one", "two"]


async def test_a_command_that_fails_is_a_result_and_not_an_error(rig: Rig) -> None:
    assert (await rig.phone().shell("false")).exit_code == 1
    assert (await rig.phone().shell("no-such-command")).exit_code == 127


@pytest.mark.parametrize(
    "text",
    ["", " ", "it's", '"quoted"', "$HOME `id` \\n", "a;b&&c|d>e", "héllo 안녕 🤖", "-n", "two\nlines", "%s #"],
)
async def test_quoted_text_arrives_as_it_is(rig: Rig, text: str) -> None:
    quoted = "'" + text.replace("'", "'\\''") + "'"

    assert (await rig.phone().shell(f"printf %s {quoted}")).stdout.decode() == text


async def test_output_is_kept_up_to_the_limit_and_the_exit_code_beyond_it(rig: Rig) -> None:
    rig.fleet.phones[0].files.write("/sdcard/long", b"0123456789" * 300_000)

    result = await rig.phone().shell("cat /sdcard/long; echo complaint >&2; exit 3", max_output_bytes=1_000_000)

    assert (result.exit_code, len(result.stdout)) == (3, 1_000_000)
    assert result.stderr == b"complaint\n"
    whole = await rig.phone().shell("cat /sdcard/long", max_output_bytes=10_000_000)
    assert whole.stdout == b"0123456789" * 300_000


async def test_output_that_is_not_text_arrives_where_the_way_carries_it(rig: Rig) -> None:
    data = bytes(range(256)) * 10
    rig.fleet.phones[0].files.write("/sdcard/bytes", data)

    result = await rig.phone().shell("cat /sdcard/bytes")

    # The vendor's program answers in JSON, where bytes that are no text have no place.
    assert (result.stdout == data) is rig.is_adb
    assert result.exit_code == 0


async def test_a_command_that_reads_finds_no_input(rig: Rig) -> None:
    async with asyncio.timeout(30):
        assert await rig.phone().shell("cat") == ShellResult(0, b"", b"")


async def test_a_cancelled_command_ends_on_the_phone(rig: Rig) -> None:
    running = asyncio.create_task(rig.phone().shell("sleep 600"))
    await eventually(lambda: bool(rig.commands("sleep 600")))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    assert running.cancelled()
    await eventually(lambda: rig.commands("sleep 600")[0].outcome == "cancelled")
    assert (await rig.phone().shell("echo on")).text == "on"


async def test_a_deadline_of_the_callers_ends_a_command_on_the_phone(rig: Rig) -> None:
    deadline = asyncio.timeout(None)

    async def drive() -> None:
        async with deadline:
            await rig.phone().shell("echo begun; sleep 600")

    driving = asyncio.create_task(drive())
    await eventually(lambda: bool(rig.commands("sleep 600")))
    deadline.reschedule(asyncio.get_running_loop().time())
    with pytest.raises(TimeoutError):
        await driving
    await eventually(lambda: rig.commands("sleep 600")[0].outcome == "cancelled")


async def test_a_phone_that_hangs_costs_its_own_call_alone(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig:
        rig.fleet.inject(Hang(phones=FIRST, when=When(match="echo")))
        hanging = asyncio.create_task(rig.phone(0).shell("echo hangs"))
        await eventually(lambda: bool(rig.commands("echo hangs")))

        for _ in range(3):
            assert (await rig.phone(1).shell("echo fine")).text == "fine"
        hanging.cancel()
        await asyncio.gather(hanging, return_exceptions=True)
        rig.fleet.clear()
        assert (await rig.phone(0).shell("echo fine")).text == "fine"


async def test_output_that_drips_does_not_outlast_the_deadline(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig:
        rig.fleet.inject(Drip(phones=FIRST, interval_s=0.05))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await rig.phone(0).shell(f"echo {'drip' * 1000}")

        assert (await rig.phone(1).shell("echo fine")).text == "fine"


async def test_slow_phones_are_waited_for(rig: Rig) -> None:
    rig.fleet.inject(Latency(seconds=0.3))

    assert (await rig.phone().shell("echo late")).text == "late"


@pytest.mark.parametrize(
    "fault", [Crash(phones=FIRST, delay_s=0.2, when=When(match="sleep")), Disconnect(phones=FIRST)]
)
async def test_a_phone_that_goes_away_in_the_middle_may_have_done_it(
    make_rig: MakeRig, fault: Crash | Disconnect
) -> None:
    async with make_rig(2) as rig, watching(rig) as watch:
        if isinstance(fault, Crash):
            rig.fleet.inject(fault)
        running = asyncio.create_task(rig.phone(0).shell("sleep 600"))
        await eventually(lambda: bool(rig.commands("sleep 600")))
        if isinstance(fault, Disconnect):
            rig.fleet.inject(fault)
        with pytest.raises((DeviceOfflineError, OutcomeUnknownError)) as caught:
            await running
        assert getattr(caught.value, "is_started", True)
        assert (await rig.phone(1).shell("echo fine")).text == "fine"

        rig.fleet.clear()
        await eventually(lambda: rig.fleet.phones[0].is_up)
        await rig.attach()
        await watch.until_all_are_connected(rig)
        assert (await rig.phone(0).shell("echo back")).text == "back"
        assert len(rig.commands("sleep 600")) == 1


async def test_a_phone_that_is_not_there_is_an_error_and_nothing_began(rig: Rig) -> None:
    with pytest.raises(DeviceOfflineError) as caught:
        await rig.driver.phone("no-such-phone").shell("echo x")

    assert not caught.value.is_started
    assert rig.commands("echo x") == []


async def test_a_flapping_phone_never_holds_up_a_caller(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig:
        rig.fleet.inject(Disconnect(phones=FIRST, when=When(for_s=0.1, every_s=0.2)))
        for _ in range(20):
            try:
                async with asyncio.timeout(60):
                    await rig.phone(0).shell("echo x")
            except DeviceError:
                pass
            assert (await rig.phone(1).shell("echo fine")).text == "fine"
        rig.fleet.clear()


async def test_twenty_phones_are_driven_at_once(make_rig: MakeRig) -> None:
    async with make_rig(20) as rig:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(rig.phone(number).shell("sleep 0.2; getprop ro.serialno")) for number in range(20)
            ]

        assert [task.result().text for task in tasks] == [phone.serial for phone in rig.fleet.phones]
