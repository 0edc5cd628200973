from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.drivers.protocol import Sighting
from corral.drivers.vendor.driver import VendorDriver
from corral.drivers.vendor.listing import parse_list
from corral.model.errors import DeviceError
from corral.model.states import Connection
from tests.drivers.vendor.fake_program import fake_program, success

PHONE = {
    "serial": "10.0.0.1:5555",
    "onlySerial": "ABC",
    "name": "first",
    "model": "Redmi Note 3",
    "sort": 1,
    "mode": 1,
    "status": "online",
    "hide": False,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PHONE, "x"]), inner, max_size=4),
    max_leaves=10,
)


def test_a_phone_is_its_stable_serial_and_reached_by_the_other() -> None:
    assert parse_list([PHONE]) == [
        Sighting(serial="ABC", handle="10.0.0.1:5555", connection=Connection.CONNECTED, model="Redmi Note 3")
    ]


@pytest.mark.parametrize(
    ("status", "connection"),
    [
        ("online", Connection.CONNECTED),
        ("ONLINE", Connection.CONNECTED),
        (1, Connection.CONNECTED),
        (None, Connection.CONNECTED),
        ("offline", Connection.OFFLINE),
        (0, Connection.OFFLINE),
        ("unauthorized", Connection.UNAUTHORIZED),
        ("levitating", Connection.OFFLINE),
    ],
)
def test_each_status_has_its_connection(status: str | int | None, connection: Connection) -> None:
    (sighting,) = parse_list([{**PHONE, "status": status}])

    assert sighting.connection is connection
    assert (sighting.message is None) is (connection is Connection.CONNECTED)


def test_a_phone_by_two_ways_is_one_and_usb_is_preferred() -> None:
    (sighting,) = parse_list([PHONE, {**PHONE, "serial": "ABC", "mode": 0}])

    assert sighting.handle == "ABC"


def test_no_phones_are_no_phones() -> None:
    assert parse_list(None) == parse_list([]) == []


@given(JSON)
def test_whatever_is_listed_is_read_left_out_or_refused(data: object) -> None:
    try:
        sightings = parse_list(data)
    except DeviceError:
        return
    assert all(sighting.serial and sighting.handle for sighting in sightings)


async def test_the_watch_sees_phones_come_and_go_and_the_program_too() -> None:
    async with fake_program({"list": success([])}) as fake:
        driver = VendorDriver(url=fake.url, poll_s=0.01)
        async with aclosing(driver.watch()) as sightings:
            assert await anext(sightings) == []
            fake.script["list"] = success([PHONE])
            assert [each.serial for each in await anext(sightings)] == ["ABC"]
            fake.script["list"] = "the program lost its mind"
            assert await anext(sightings) == []
            fake.script["list"] = success([PHONE])
            assert [each.serial for each in await anext(sightings)] == ["ABC"]


async def test_discovering_looks_at_once_and_says_that_addresses_are_the_programs_business() -> None:
    async with fake_program({"list": success([])}) as fake:
        driver = VendorDriver(url=fake.url, poll_s=3600)
        async with aclosing(driver.watch()) as sightings:
            assert await anext(sightings) == []
            fake.script["list"] = success([PHONE])
            coming = asyncio.ensure_future(anext(sightings))
            await asyncio.sleep(0)
            assert await driver.discover(["10.0.0.2:5555"]) == [
                "10.0.0.2:5555: the vendor program finds phones by itself; add it there"
            ]
            assert len(await coming) == 1
