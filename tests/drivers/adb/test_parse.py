from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.drivers.adb.parse import Listed, parse_devices, parse_identity, parse_properties


def test_every_kind_of_line_is_read() -> None:
    text = (
        "R58M123ABC             device usb:1-2 product:beyond1 model:SM_G973F device:beyond1 transport_id:3\n"
        "192.168.1.20:5555      offline transport_id:4\n"
        "emulator-5554          device product:sdk model:sdk_phone device:emu transport_id:5\n"
        "0A1B2C                 no permissions (user in plugdev group; are your udev rules wrong?); see "
        "[http://developer.android.com/tools/device.html] usb:1-4 transport_id:6\n"
        "(no serial number)     unauthorized transport_id:7\n"
    )

    assert parse_devices(text) == [
        Listed(handle="R58M123ABC", state="device", model="SM G973F", transport_id="3"),
        Listed(handle="192.168.1.20:5555", state="offline", transport_id="4"),
        Listed(handle="emulator-5554", state="device", model="sdk phone", transport_id="5"),
        Listed(handle="0A1B2C", state="no permissions", transport_id="6"),
        Listed(handle="(no serial number)", state="unauthorized", transport_id="7"),
    ]


def test_the_short_form_with_a_tab_is_read_too() -> None:
    assert parse_devices("abc\tdevice\n") == [Listed(handle="abc", state="device")]


@given(st.text())
def test_whatever_is_listed_a_line_is_read_or_left_out(text: str) -> None:
    for device in parse_devices(text):
        assert device.handle
        assert device.state


@pytest.mark.parametrize(
    ("handle", "serial", "is_usb"),
    [
        ("R58M123ABC", "R58M123ABC", True),
        ("192.168.1.20:5555", None, False),
        ("[fe80::1]:5555", None, False),
        ("adb-R58M123ABC-aBc123._adb-tls-connect._tcp", "R58M123ABC", False),
        ("emulator-5554", "emulator-5554", False),
        ("(no serial number)", None, True),
    ],
)
def test_a_handle_tells_the_serial_where_it_can(handle: str, serial: str | None, is_usb: bool) -> None:  # noqa: FBT001 - a table
    listed = Listed(handle=handle, state="device")

    assert (listed.own_serial, listed.is_usb) == (serial, is_usb)


def test_properties_may_hold_brackets_and_line_breaks() -> None:
    text = "[ro.serialno]: [ABC]\r\n[odd]: [a]b [c]\n[long]: [one\ntwo]\n[empty]: []\n"

    assert parse_properties(text) == {"ro.serialno": "ABC", "odd": "a]b [c", "long": "one\ntwo", "empty": ""}


def test_a_phone_says_who_it_is() -> None:
    identity = parse_identity(
        {
            "ro.serialno": "unknown",
            "ro.boot.serialno": "ABC",
            "ro.product.model": "Pixel",
            "ro.build.version.release": "14",
            "sys.boot_completed": "1",
        }
    )

    assert (identity.serial, identity.model, identity.os_version) == ("ABC", "Pixel", "14")
    assert identity.is_booted
    assert not identity.is_emulator


def test_a_phone_that_says_nothing_has_not_started() -> None:
    identity = parse_identity({})

    assert identity.serial is None
    assert not identity.is_booted


@pytest.mark.parametrize("name", ["ro.kernel.qemu", "ro.boot.qemu"])
def test_an_emulator_is_told_by_either_property(name: str) -> None:
    assert parse_identity({name: "1"}).is_emulator
