from __future__ import annotations

import pytest

from corral.drivers.adb.parse import Identity, Listed
from corral.drivers.adb.sightings import Known, see
from corral.drivers.protocol import Sighting
from corral.model.states import Connection


def known(
    handle: str,
    state: str = "device",
    *,
    serial: str | None = None,
    is_booted: bool = True,
    is_emulator: bool = False,
    is_answered: bool = True,
    trouble: str | None = None,
) -> Known:
    identity = Identity(serial=serial, model="Pixel", os_version="14", is_emulator=is_emulator, is_booted=is_booted)
    return Known(listed=Listed(handle=handle, state=state), identity=identity if is_answered else None, trouble=trouble)


def only(*devices: Known) -> Sighting:
    (sighting,) = see(devices)
    return sighting


def test_a_phone_on_usb_is_its_serial() -> None:
    assert only(known("ABC")) == Sighting(
        serial="ABC", handle="ABC", connection=Connection.CONNECTED, model="Pixel", os_version="14"
    )


def test_a_phone_on_wifi_is_the_serial_that_it_tells() -> None:
    sighting = only(known("10.0.0.1:5555", serial="ABC"))

    assert (sighting.serial, sighting.handle) == ("ABC", "10.0.0.1:5555")


def test_a_phone_on_wifi_that_never_told_its_serial_is_left_out() -> None:
    assert see([known("10.0.0.1:5555", "unauthorized", is_answered=False)]) == []


def test_a_phone_on_wifi_keeps_its_serial_while_it_cannot_be_asked() -> None:
    before = Identity(serial="ABC", model="Pixel", os_version="14", is_emulator=False, is_booted=True)

    sighting = only(Known(listed=Listed(handle="10.0.0.1:5555", state="offline"), last=before))

    assert (sighting.serial, sighting.connection, sighting.model) == ("ABC", Connection.OFFLINE, "Pixel")


def test_a_phone_by_two_ways_is_one_and_usb_is_preferred() -> None:
    assert only(known("10.0.0.1:5555", serial="ABC"), known("ABC")).handle == "ABC"


def test_of_two_ways_the_one_that_works_is_preferred() -> None:
    assert only(known("ABC", "unauthorized", is_answered=False), known("10.0.0.1:5555", serial="ABC")).handle == (
        "10.0.0.1:5555"
    )


def test_emulators_are_told_apart_by_their_handles_and_belong_to_the_node() -> None:
    first, second = see([known("emulator-5554", serial="EMU"), known("emulator-5556", serial="EMU")])

    assert (first.serial, second.serial) == ("emulator-5554", "emulator-5556")
    assert first.is_node_scoped
    assert only(known("10.0.0.1:5555", serial="EMU", is_emulator=True)).is_node_scoped


def test_an_emulator_that_was_also_connected_to_by_hand_is_one() -> None:
    assert (
        only(known("127.0.0.1:5555", serial="EMU", is_emulator=True), known("emulator-5554")).handle == "emulator-5554"
    )


@pytest.mark.parametrize(
    ("device", "connection", "words"),
    [
        (known("A", is_booted=False), Connection.NOT_BOOTED, "not finished starting"),
        (known("A", is_answered=False), Connection.OFFLINE, "not been asked"),
        (known("A", trouble="it hangs"), Connection.OFFLINE, "it hangs"),
        (known("A", "offline", is_answered=False), Connection.OFFLINE, "replug"),
        (known("A", "unauthorized", is_answered=False), Connection.UNAUTHORIZED, "confirm on the phone"),
        (known("A", "authorizing", is_answered=False), Connection.UNAUTHORIZED, "confirm on the phone"),
        (known("A", "no permissions", is_answered=False), Connection.UNAUTHORIZED, "udev"),
        (known("A", "recovery", is_answered=False), Connection.OFFLINE, "recovery"),
        (known("A", "sideload", is_answered=False), Connection.OFFLINE, "sideload"),
        (known("A", "bootloader", is_answered=False), Connection.OFFLINE, "bootloader"),
        (known("A", "levitating", is_answered=False), Connection.OFFLINE, "'levitating'"),
    ],
)
def test_each_state_has_its_connection_and_says_what_to_do(device: Known, connection: Connection, words: str) -> None:
    sighting = only(device)

    assert sighting.connection is connection
    assert words in (sighting.message or "")
