from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.drivers.adb.discover import discover, expand
from corral.model.errors import InvalidRequestError
from tests.drivers.adb.fake_server import OKAY, fail, fake_server, text


@pytest.mark.parametrize(
    ("address", "expanded"),
    [
        ("10.0.0.1", ["10.0.0.1:5555"]),
        ("phone.local:6000", ["phone.local:6000"]),
        (" 10.0.0.1:5555-5557 ", ["10.0.0.1:5555", "10.0.0.1:5556", "10.0.0.1:5557"]),
        ("[fe80::1]:5555", ["[fe80::1]:5555"]),
    ],
)
def test_an_address_is_one_for_each_of_its_ports(address: str, expanded: list[str]) -> None:
    assert expand(address) == expanded


@pytest.mark.parametrize(
    "address", ["", "a b:1", "x:", "x:0", "x:70000", "x:9-8", "x:1-", "::1", "host:5555:x", "x:1-99999"]
)
def test_what_is_no_address_is_named(address: str) -> None:
    with pytest.raises(InvalidRequestError, match=f"'{address}'"):
        expand(address)


@given(st.text(max_size=40))
def test_whatever_is_asked_for_is_expanded_or_refused(address: str) -> None:
    with contextlib.suppress(InvalidRequestError):
        assert expand(address)


async def test_a_phone_that_the_server_lost_is_connected_to_anew() -> None:
    script = {
        "host:connect:10.0.0.1:5555": OKAY + text("already connected to 10.0.0.1:5555"),
        "host-serial:10.0.0.1:5555:get-state": fail("device offline"),
        "host:disconnect:10.0.0.1:5555": OKAY + text("disconnected 10.0.0.1:5555"),
    }
    async with fake_server(dict(script)) as fake:
        assert await discover(fake.server, ["10.0.0.1"]) == []

    assert fake.requests == ["host:version", *script, "host:connect:10.0.0.1:5555"]


async def test_a_phone_that_is_connected_is_left_alone() -> None:
    script = {
        "host:connect:10.0.0.1:5555": OKAY + text("already connected to 10.0.0.1:5555"),
        "host-serial:10.0.0.1:5555:get-state": OKAY + text("device"),
    }
    async with fake_server(dict(script)) as fake:
        assert await discover(fake.server, ["10.0.0.1"]) == []

    assert fake.requests == ["host:version", *script]


async def test_a_phone_that_waits_to_be_authorized_is_a_line_that_says_so() -> None:
    async with fake_server({"host:connect:x:1": OKAY + text("failed to authenticate to x:1")}) as fake:
        (line,) = await discover(fake.server, ["x:1"])

    assert line.startswith("failed to authenticate to x:1: confirm on the phone")


async def test_more_addresses_than_a_scan_tries_are_refused() -> None:
    async with fake_server({}) as fake:
        assert await discover(fake.server, ["x:1-60000"]) == [
            "60000 addresses are more than one scan tries, which is 4096"
        ]

    assert fake.requests == []


async def test_no_server_is_one_line() -> None:
    async with fake_server({"host:version": b"HTTP"}) as fake:
        (line,) = await discover(fake.server, ["x:1-100"])

    assert "does not speak its protocol" in line
