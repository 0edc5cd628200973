from pathlib import Path

import msgspec
import pytest

from corral.simulator.clock import ManualClock
from corral.simulator.record import Entry, Record


class Books:
    """A record with one phone, two connections, and short words for what happens."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.record = Record(self.clock)

    def begin(self, line: str, *, on: str = "adb-1", phone: str = "P", is_read_only: bool = False) -> Entry:
        return self.record.begin(phone=phone, connection=on, stream="1", line=line, is_read_only=is_read_only)

    def do(self, line: str, *, on: str = "adb-1", phone: str = "P", is_read_only: bool = False) -> Entry:
        entry = self.begin(line, on=on, phone=phone, is_read_only=is_read_only)
        self.record.end(entry, "exited", 0)
        return entry

    def job(self, name: str, fence: int, *, on: str = "adb-1") -> None:
        self.do(f": corral-job={name} fence={fence}", on=on, is_read_only=True)

    @property
    def rules(self) -> list[str]:
        return [violation.rule for violation in self.record.violations]


@pytest.fixture
def books() -> Books:
    return Books()


def test_jobs_that_follow_one_another_are_in_order(books: Books) -> None:
    books.job("a", 1)
    first = books.do("input tap 1 1")
    books.job("b", 2)
    second = books.do("input tap 1 1")

    assert (first.job, second.job) == ("a", "b")
    assert books.rules == []


def test_a_job_that_starts_while_anothers_command_runs_is_seen(books: Books) -> None:
    books.job("a", 1)
    books.begin("input swipe 1 1 2 2")
    books.job("b", 2)

    assert books.rules == ["overlap"]
    assert "“input swipe 1 1 2 2” of job a" in books.record.violations[0].message


def test_commands_of_one_job_may_run_at_once(books: Books) -> None:
    books.job("a", 1)
    books.begin("sleep 5")
    books.begin("input tap 1 1")

    assert books.rules == []


def test_a_job_that_was_fenced_off_on_another_connection_is_seen(books: Books) -> None:
    books.job("a", 1, on="adb-1")
    books.job("b", 2, on="adb-2")
    books.do("input tap 1 1", on="adb-1")

    assert books.rules == ["stale_fence"]


def test_an_older_marker_after_a_newer_one_is_seen(books: Books) -> None:
    books.job("b", 2)
    books.job("a", 1)

    assert books.rules == ["stale_fence"]


def test_two_jobs_with_one_fence_are_seen(books: Books) -> None:
    books.job("a", 1)
    books.job("b", 1)

    assert books.rules == ["shared_fence"]


def test_health_may_be_looked_at_at_any_time(books: Books) -> None:
    books.job("a", 1)
    books.begin("dumpsys battery", is_read_only=True)
    books.job("b", 2)
    books.do("dumpsys battery", is_read_only=True, on="adb-9")

    assert books.rules == []


def test_a_line_that_names_its_job_speaks_for_itself_alone(books: Books) -> None:
    claimed = books.begin(": corral-job=a fence=1; screencap -p", is_read_only=True)
    unclaimed = books.do("input tap 1 1")
    books.begin(": corral-job=b fence=2; screencap -p", is_read_only=True)

    assert (claimed.job, claimed.is_claimed, unclaimed.job) == ("a", True, None)
    assert books.rules == ["overlap"]


def test_what_runs_on_another_phone_is_nobodys_business(books: Books) -> None:
    books.job("a", 1)
    books.begin("sleep 5")
    books.do(": corral-job=b fence=1", phone="Q", is_read_only=True)
    books.do("input tap 1 1", phone="Q")

    assert books.rules == []


def test_the_file_holds_every_command_also_those_that_never_ended(tmp_path: Path) -> None:
    record = Record(ManualClock(), tmp_path / "record.jsonl")
    first = record.begin(phone="P", connection="adb-1", stream="4", line="true", is_read_only=True)
    record.begin(phone="P", connection="adb-1", stream="5", line="sleep 9", is_read_only=False)
    record.end(first, "exited", 0)
    record.close()

    lines = [msgspec.json.decode(line) for line in (tmp_path / "record.jsonl").read_bytes().splitlines()]

    assert [(line["line"], line["outcome"], line["via"]) for line in lines] == [
        ("true", "exited", "adb-1/4"),
        ("sleep 9", None, "adb-1/5"),
    ]
