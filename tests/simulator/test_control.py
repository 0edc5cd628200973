import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from corral.model.errors import InvalidRequestError
from corral.simulator import Fleet
from corral.simulator.control import Control
from corral.simulator.scenario.model import Battery, Phones
from tests.simulator.adb import AdbPhone
from tests.simulator.handset import sh


@pytest.fixture
async def control(fleet: Fleet) -> AsyncIterator[Control]:
    async with await Control.connect(fleet.control_port) as client:
        yield client


async def test_phones_are_listed_as_they_are(fleet: Fleet, control: Control) -> None:
    await sh(fleet.phones[0], "am start -n dev.corral.demo/.MainActivity")

    first, second = await control.phones()

    assert (first.serial, first.address, first.index) == (fleet.phones[0].serial, fleet.addresses[0], 1)
    assert (first.foreground, second.foreground) == ("dev.corral.demo", "com.android.launcher3")
    assert (first.is_up, first.is_authorized, first.has_booted) == (True, True, True)


async def test_faults_come_and_go(fleet: Fleet, control: Control) -> None:
    assert await control.inject(Battery(id="low", level=3, phones=Phones(indexes="2"))) == ("low", 1)
    assert await control.inject({"kind": "heat", "celsius": 50}) == ("injected-1", 2)
    assert [(phone.battery, phone.celsius) for phone in fleet.phones[1:]] == [(3, 50.0)]
    assert [phone.faults for phone in await control.phones()] == [["injected-1"], ["low", "injected-1"]]

    await control.clear("low")
    assert [phone.faults for phone in await control.phones()] == [["injected-1"], ["injected-1"]]
    await control.clear()
    assert [phone.faults for phone in await control.phones()] == [[], []]


async def test_a_fault_that_makes_no_sense_is_refused_with_its_path(control: Control) -> None:
    with pytest.raises(InvalidRequestError, match=r"- at `\$.level`"):
        await control.inject({"kind": "battery", "level": "high"})
    with pytest.raises(InvalidRequestError, match=r"\$.when.match: this fault follows the clock"):
        await control.inject({"kind": "heat", "when": {"match": "x"}})
    assert len(await control.phones()) == 2


async def test_commands_are_on_record_and_can_be_waited_for(fleet: Fleet, control: Control, phone: AdbPhone) -> None:
    waiting = asyncio.create_task(control.wait_for("^sleep", state="started"))
    process = await phone.adb.begin("-s", phone.address, "shell", "sleep 1000")
    started = await waiting
    process.kill()
    await process.wait()
    ended = await control.wait_for("^sleep", state="ended", phone=fleet.phones[0].serial)

    assert (started.ended_s, ended.outcome, ended.number) == (None, "cancelled", started.number)
    assert [entry.line for entry in await control.record(phone=fleet.phones[0].serial)] == ["sleep 1000"]
    assert await control.record(after=ended.number) == []


async def test_violations_are_told(fleet: Fleet, control: Control) -> None:
    assert await control.violations() == []
    await sh(fleet.phones[0], ": corral-job=b fence=2")
    await sh(fleet.phones[0], ": corral-job=a fence=1")

    (violation,) = await control.violations()

    assert (violation.rule, violation.phone) == ("stale_fence", fleet.phones[0].serial)


async def test_what_is_no_request_is_answered_and_the_next_one_works(fleet: Fleet) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", fleet.control_port)
    writer.write(b'nonsense\n{"id": 4, "do": "dance"}\n{"id": 5, "do": "violations"}\n')

    answers = [msgspec.json.decode(await reader.readline()) for _ in range(3)]

    assert [answer["id"] for answer in answers] == [0, 0, 5]
    assert "not a request" in answers[0]["error"]
    assert answers[2]["result"] == []
    writer.close()
    await writer.wait_closed()
