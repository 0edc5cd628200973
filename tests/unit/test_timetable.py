"""When schedules are due: cron expressions, time zones, clocks that change, and times that went by unseen."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import InvalidRequestError
from corral.model.states import CatchUp
from corral.timetable import Timetable

MINUTE = timedelta(minutes=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def due_on(day: str, cron: str, zone: str) -> list[str]:
    """The times within one local day and the night after it, as UTC clocks show them."""
    begin = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    found, timetable = [], Timetable.parse(cron, zone)
    while (begin := timetable.next_after(begin)) < at(day) + timedelta(hours=9):
        found.append(f"{begin:%H:%M}")
    return found


@pytest.mark.parametrize(
    ("cron", "zone", "path"),
    [
        ("* * * *", "UTC", "cron"),
        ("0 0 * * * *", "UTC", "cron"),
        ("61 * * * *", "UTC", "cron"),
        ("0 0 31 2 *", "UTC", "cron"),
        ("@daily", "UTC", "cron"),
        ("each day", "UTC", "cron"),
        ("0 0 * * MOO", "UTC", "cron"),
        ("* * * * *", "Mars/Olympus", "time_zone"),
        ("* * * * *", "../../etc/passwd", "time_zone"),
        ("* * * * *", "localtime", "time_zone"),
        ("* * * * *", "right/UTC", "time_zone"),
        ("* * * * *", "", "time_zone"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_name(cron: str, zone: str, path: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        Timetable.parse(cron, zone)

    assert refused.value.path == path


@pytest.mark.parametrize(
    ("cron", "zone", "expected"),
    [
        ("0 3 * * *", "UTC", "2026-03-02T03:00"),
        ("0 3 * * *", "Asia/Seoul", "2026-03-01T18:00"),
        ("*/20 * * * *", "UTC", "2026-03-01T12:20"),
        ("0 9 * * 1-5", "Europe/Berlin", "2026-03-02T08:00"),
        ("0 0 L * *", "UTC", "2026-03-31T00:00"),
        ("30 6 1 JAN *", "UTC", "2027-01-01T06:30"),
        ("0 0 29 2 *", "UTC", "2028-02-29T00:00"),
        ("0 12 13 * FRI", "UTC", "2026-03-06T12:00"),  # either of the two, as cron has it
    ],
)
def test_the_next_time_is_read_in_the_time_zone(cron: str, zone: str, expected: str) -> None:
    assert Timetable.parse(cron, zone).next_after(at("2026-03-01T12:00:30")) == at(expected)


# Berlin: 2026-03-29 02:00 → 03:00 (01:00 UTC); 2026-10-25 03:00 → 02:00 (01:00 UTC).
@pytest.mark.parametrize(
    ("day", "cron", "expected"),
    [
        ("2026-03-29", "30 2 * * *", ["01:00"]),
        ("2026-03-29", "0,30 2 * * *", ["01:00"]),
        ("2026-03-29", "0 2,3 * * *", ["01:00"]),
        ("2026-03-29", "30 1 * * *", ["00:30"]),
        (
            "2026-03-29",
            "30 * * * *",
            ["23:30", "00:30", "01:30", "02:30", "03:30", "04:30", "05:30", "06:30", "07:30", "08:30"],
        ),
        ("2026-10-25", "30 2 * * *", ["00:30"]),
        ("2026-10-25", "0 3 * * *", ["02:00"]),
        ("2026-10-25", "*/30 2 * * *", ["00:00", "00:30", "01:00", "01:30"]),
    ],
)
def test_where_clocks_change_fixed_times_happen_once_and_others_go_by_real_time(
    day: str, cron: str, expected: list[str]
) -> None:
    assert due_on(day, cron, "Europe/Berlin") == expected


def test_in_the_second_of_two_hours_a_fixed_time_is_not_due_again() -> None:
    timetable = Timetable.parse("30 2 * * *", "Europe/Berlin")

    assert timetable.next_after(at("2026-10-25T01:10")) == at("2026-10-26T01:30")


@given(
    cron=st.sampled_from(
        ["30 2 * * *", "0,30 2 * * *", "0 * * * *", "*/15 1 * * *", "15 1-3 * * *", "59 1 * * 0", "*/7 * * * *"]
    ),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Seoul", "UTC"]),
    minute=st.integers(0, 9 * 365 * 24 * 60),
    hours=st.integers(1, 80),
)
def test_looking_back_finds_the_same_times_as_going_forward(cron: str, zone: str, minute: int, hours: int) -> None:
    timetable = Timetable.parse(cron, zone)
    first = timetable.next_after(at("2018-01-01") + minute * MINUTE)
    now = first + timedelta(hours=hours)
    forward = [first]
    while (following := timetable.next_after(forward[-1])) <= now:
        forward.append(following)

    due = timetable.judge(first, now, catch_up=CatchUp.ALL, limit=10_000)

    assert due.to_fire == forward


# Every hour, from 00:00 on; now is 05:00:30, so that 05:00 has just come and five went by.
@pytest.mark.parametrize(
    ("catch_up", "limit", "fired", "missed"),
    [
        (CatchUp.NONE, 10, ["05"], ["00", "04", 5]),
        (CatchUp.LAST, 10, ["05"], ["00", "04", 5]),
        (CatchUp.ALL, 10, ["00", "01", "02", "03", "04", "05"], None),
        (CatchUp.ALL, 2, ["03", "04", "05"], ["00", "02", 3]),
    ],
)
def test_a_time_that_has_just_come_is_fired_and_catch_up_decides_about_the_others(
    catch_up: CatchUp, limit: int, fired: list[str], missed: list[object] | None
) -> None:
    timetable = Timetable.parse("0 * * * *", "UTC")

    due = timetable.judge(at("2026-03-01T00:00"), at("2026-03-01T05:00:30"), catch_up=catch_up, limit=limit)

    assert [f"{time:%H}" for time in due.to_fire] == fired
    told = None
    if due.missed_from is not None and due.missed_until is not None:
        told = [f"{due.missed_from:%H}", f"{due.missed_until:%H}", due.missed]
    assert told == missed


# The same, but now is 05:30: all six went by.
@pytest.mark.parametrize(
    ("catch_up", "fired", "missed"), [(CatchUp.NONE, [], 6), (CatchUp.LAST, ["05"], 5), (CatchUp.ALL, ["04", "05"], 4)]
)
def test_where_nothing_has_just_come_catch_up_alone_decides(catch_up: CatchUp, fired: list[str], missed: int) -> None:
    timetable = Timetable.parse("0 * * * *", "UTC")

    due = timetable.judge(at("2026-03-01T00:00"), at("2026-03-01T05:30"), catch_up=catch_up, limit=2)

    assert ([f"{time:%H}" for time in due.to_fire], due.missed) == (fired, missed)


def test_a_year_of_missed_minutes_is_judged_without_counting_them_all() -> None:
    timetable = Timetable.parse("* * * * *", "UTC")

    due = timetable.judge(at("2025-01-01T00:00"), at("2026-01-01T00:00:30"), catch_up=CatchUp.NONE, limit=1)

    assert (due.to_fire, due.missed) == ([at("2026-01-01T00:00")], 10_000)
