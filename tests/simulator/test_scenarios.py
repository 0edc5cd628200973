import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import InvalidRequestError
from corral.simulator.clock import ManualClock
from corral.simulator.scenario.load import load_scenario, parse_fault, parse_scenario, shipped
from corral.simulator.scenario.model import (
    Battery,
    Disconnect,
    ExitCode,
    Fault,
    Heat,
    Latency,
    Phones,
    Screencap,
    SlowBoot,
    When,
    parse_indexes,
)
from corral.simulator.scenario.timetable import NEVER, Timetable
from corral.simulator.screen.png import PictureError
from corral.simulator.screen.read import read_screen
from tests.simulator.handset import make_fleet, make_phone, sh


@pytest.mark.parametrize("name", ["bad-hub", "busy-lab", "calm", "chaos"])
def test_the_shipped_scenarios_load_by_name(name: str) -> None:
    assert name in shipped()
    assert load_scenario(name).name == name
    assert load_scenario(name).description


def test_a_scenario_loads_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine\nfaults: [{kind: hang, when: {match: '^input', nth: 3}}]\n")

    assert load_scenario(str(tmp_path / "mine.yaml")).faults[0].when.nth == 3


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("faults: [{kind: explode}]", r"Invalid value 'explode' - at `\$.faults\[0\].kind`"),
        ("faults: [{kind: hang, colour: red}]", r"unknown field `colour` - at `\$.faults\[0\]`"),
        ("faults: [{kind: battery, level: 101}]", r"<= 100 - at `\$.faults\[0\].level`"),
        ("faults: [{kind: battery}]", r"\$.faults\[0\]: needs level or drain_per_min"),
        ("faults: [{kind: hang, when: {match: '('}}]", r"\$.faults\[0\].when.match: not a regular expression"),
        ("faults: [{kind: heat, when: {nth: 2}}]", r"\$.faults\[0\].when.nth: this fault follows the clock"),
        ("faults: [{kind: hang, when: {every_s: 5}}]", r"\$.faults\[0\].when.every_s: needs a for_s that is shorter"),
        ("faults: [{kind: hang, when: {every_s: 5, for_s: 5}}]", r"\$.faults\[0\].when.every_s: needs a for_s"),
        ("faults: [{kind: hang, phones: {indexes: 1-x}}]", r"\$.faults\[0\].phones.indexes: “1-x” is neither"),
        ("faults: [{kind: hang, phones: {fraction: 2}}]", r"<= 1.0 - at `\$.faults\[0\].phones.fraction`"),
        ("faults: [{kind: latency, seconds: [2, 1]}]", r"\$.faults\[0\].seconds: neither a number"),
        ("faults: [{kind: latency, seconds: -1}]", r"\$.faults\[0\].seconds: neither a number"),
        ("faults: [{kind: hang, id: a}, {kind: heat, id: a}]", r"\$.faults: the id a is used twice"),
        ("setup: {width: 7}", r">= 180 - at `\$.setup.width`"),
        ("speed: 3", "unknown field `speed`"),
        ("[1, 2]", "Expected `object`, got `array`"),
        ("a: [", "not YAML"),
    ],
)
def test_a_scenario_that_makes_no_sense_is_refused_with_its_path(text: str, complaint: str) -> None:
    with pytest.raises(InvalidRequestError, match=complaint):
        parse_scenario(text)


def test_a_scenario_that_is_nowhere_is_refused_with_what_there_is() -> None:
    with pytest.raises(InvalidRequestError, match="neither a readable file nor one of bad-hub, busy-lab, calm, chaos"):
        load_scenario("/none/such.yaml")


def test_indexes_are_numbers_and_ranges() -> None:
    assert [number for part in parse_indexes("1-3, 7,9 - 10") for number in part] == [1, 2, 3, 7, 9, 10]


def timetable(**when: float) -> Timetable:
    return Timetable(When(**when), start_s=0)  # type: ignore[arg-type] # only times are given here


@given(
    after=st.floats(0, 50),
    lasts=st.floats(0.1, 5),
    pause=st.floats(0.1, 5),
    now=st.floats(0, 500, allow_subnormal=False),
)
def test_a_timetable_is_on_and_off_where_its_changes_say(after: float, lasts: float, pause: float, now: float) -> None:
    table = timetable(after_s=after, for_s=lasts, every_s=lasts + pause)

    change = table.next_change(now)

    assert change >= now
    assert table.is_on(change + 1e-6) is not table.is_on(max(after, change) - 1e-6) or change == after
    assert 0 <= table.seconds_on(now) <= now


def test_a_fault_without_an_end_stays() -> None:
    table = timetable(after_s=5)

    assert [table.is_on(now) for now in (0, 4.9, 5, 1e6)] == [False, False, True, True]
    assert (table.next_change(0), table.next_change(5)) == (5, NEVER)


def test_the_same_seed_tells_the_same_story() -> None:
    def story(seed: int) -> list[object]:
        clock = ManualClock()
        fleet = make_fleet(40, *load_scenario("chaos").faults, seed=seed, clock=clock)
        told: list[object] = [(phone.identity, phone.faults.names(), phone.next_change()) for phone in fleet.phones]
        for number in range(25):
            told += [phone.faults.on_command(f"input tap {number} 1") for phone in fleet.phones]
        return told

    assert story(1) == story(1)
    assert story(1) != story(2)


def test_serials_are_unique_and_depend_on_the_seed_alone() -> None:
    first, second = make_fleet(300, seed=1), make_fleet(40, seed=1)
    serials = [phone.serial for phone in first.phones]

    assert len(set(serials)) == 300
    assert serials[:40] == [phone.serial for phone in second.phones]
    assert all(re.fullmatch(r"SIM\d{4}[2-9A-Z]{6}", serial) for serial in serials)


def meant(phones: Phones, devices: int = 100) -> list[int]:
    fleet = make_fleet(devices, Heat(id="x", phones=phones))
    return [phone.identity.index for phone in fleet.phones if phone.faults.names()]


def test_a_fault_is_for_the_phones_that_it_names() -> None:
    serial = make_fleet(3).phones[1].serial

    assert meant(Phones(indexes="1-3,7")) == [1, 2, 3, 7]
    assert meant(Phones(serials=(serial,))) == [2]
    assert len(meant(Phones())) == 100
    assert 10 <= len(meant(Phones(fraction=0.25))) <= 40
    assert meant(Phones(fraction=0.25)) == meant(Phones(fraction=0.25))


async def test_a_fault_of_the_nth_command_spares_the_others() -> None:
    phone = make_phone(ExitCode(code=9, when=When(match="^true", nth=2, times=2)))

    assert [(await sh(phone, line)).status for line in ("true", "echo", "true", "true", "true")] == [0, 0, 9, 9, 0]


@pytest.mark.parametrize("gives", ["garbage", "truncated", "empty"])
async def test_a_spoilt_screenshot_is_no_picture(gives: str) -> None:
    phone = make_phone(parse_fault({"kind": "screencap", "gives": gives}))
    phone.files.touch("/sdcard/p.png")
    await sh(phone, "screencap -p /sdcard/p.png")

    with pytest.raises(PictureError):
        read_screen(phone.files.read("/sdcard/p.png"))


async def test_a_black_screenshot_is_a_picture_of_nothing() -> None:
    phone = make_phone(Screencap(gives="black"))
    await sh(phone, "screencap -p /sdcard/p.png")

    assert not any(read_screen(phone.files.read("/sdcard/p.png")))


async def test_the_battery_drains_and_heats_with_the_clock() -> None:
    clock = ManualClock()
    faults: tuple[Fault, ...] = (
        Battery(level=50, drain_per_min=2),
        Heat(celsius=47.5, when=When(after_s=60, for_s=60)),
    )
    phone = make_phone(*faults, clock=clock)
    cool = phone.celsius
    seen = []
    for _ in range(4):
        seen.append((phone.battery, phone.celsius))
        await clock.advance(60)

    assert seen == [(50, cool), (48, 47.5), (46, cool), (44, cool)]


async def test_a_slow_command_takes_its_time_and_no_more() -> None:
    clock = ManualClock()
    fleet = make_fleet(1, Latency(seconds=3.0), clock=clock)
    running = asyncio.create_task(sh(fleet.phones[0], "echo done"))
    await clock.advance(2.9)
    assert not running.done()
    await clock.advance(0.2)

    assert (await running).out == "done\n"
    assert fleet.record.entries[0].ended_s == 3.0


async def test_every_start_has_an_id_of_its_own_and_counts_its_time_anew() -> None:
    clock = ManualClock()
    phone = make_phone(clock=clock)
    asking = "cat /proc/sys/kernel/random/boot_id /proc/uptime"
    first, repeated = (await sh(phone, asking)).out.split(), (await sh(phone, asking)).out.split()
    phone.reboot()
    await clock.advance(7)

    second = (await sh(phone, asking)).out.split()

    assert repeated == first
    assert second[0] != first[0]
    assert (first[1], second[1]) == ("60.00", "7.00")


async def test_a_slow_boot_is_seen_in_the_properties() -> None:
    clock = ManualClock()
    phone = make_phone(SlowBoot(boot_s=60), clock=clock)
    phone.reboot()
    states = []
    for _ in range(3):
        states.append((phone.is_up, (await sh(phone, "getprop sys.boot_completed")).out.strip()))
        await clock.advance(31)

    assert states == [(False, ""), (True, ""), (True, "1")]


def test_a_hub_takes_its_ten_phones_down_together_and_no_other() -> None:
    clock = ManualClock()
    hub = Disconnect(id="hub", phones=Phones(indexes="1-10"), when=When(after_s=20, for_s=15, every_s=90))
    fleet = make_fleet(30, hub, clock=clock)
    assert all(phone.is_up for phone in fleet.phones)

    clock._now = 21

    assert [phone.identity.index for phone in fleet.phones if not phone.is_up] == list(range(1, 11))
