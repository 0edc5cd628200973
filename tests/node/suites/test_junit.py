"""JUnit XML as runners leave it, and as somebody hostile would."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.model.errors import ActionFailedError
from corral.node.suites.junit import MOST_CASES, read_junit
from corral.wire.testing import LONGEST_TRACE, ToldResult


def read(folder: Path, text: str | bytes) -> list[ToldResult]:
    path = folder / "out.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_junit(path)


PYTEST = """<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4" time="0.1">
<testcase classname="tests.test_a" name="test_ok" time="0.002" />
<testcase classname="tests.test_a" name="test_bad[1]" time="1.5"><failure message="assert 1 == 2">def test_bad():
&gt;   assert 1 == 2</failure></testcase>
<testcase classname="tests.test_a" name="test_error" time="0"><error message="failed on setup">trace</error></testcase>
<testcase classname="tests.test_a" name="test_not_now" time="0"><skipped message="later">why</skipped></testcase>
</testsuite></testsuites>"""

MAESTRO = """<?xml version='1.0' encoding='UTF-8'?>
<testsuites>
  <testsuite name="Test Suite" device="emulator-5554" tests="2" failures="1" time="16.0">
    <testcase id="Login" name="Login" classname="Login" time="8.0" status="SUCCESS"/>
    <testcase id="Pay" name="Pay" classname="Pay" time="7.5" status="ERROR">
      <failure>Assertion is false: "Paid" is visible</failure>
    </testcase>
  </testsuite>
</testsuites>"""

SUREFIRE = """<testsuite name="com.example.FirstTest" time="1,234.5" tests="2">
<properties><property name="java.vendor" value="x"/></properties>
<testcase name="a" classname="com.example.FirstTest" time="1,234.5"><system-out><![CDATA[ <failure> ]]></system-out></testcase>
<testcase name="b"><flakyFailure message="once" type="E">trace</flakyFailure></testcase>
</testsuite>"""


def in_short(results: list[ToldResult]) -> list[tuple[str, str, str, float, str | None]]:
    return [(each.class_name, each.name, each.status.value, each.duration_s, each.message) for each in results]


def test_what_pytest_writes_is_read(tmp_path: Path) -> None:
    results = read(tmp_path, PYTEST)

    assert in_short(results) == [
        ("tests.test_a", "test_ok", "passed", 0.002, None),
        ("tests.test_a", "test_bad[1]", "failed", 1.5, "assert 1 == 2"),
        ("tests.test_a", "test_error", "errored", 0, "failed on setup"),
        ("tests.test_a", "test_not_now", "skipped", 0, "later"),
    ]
    assert results[1].trace == "def test_bad():\n>   assert 1 == 2"


def test_what_maestro_writes_is_read(tmp_path: Path) -> None:
    assert in_short(read(tmp_path, MAESTRO)) == [
        ("Login", "Login", "passed", 8, None),
        ("Pay", "Pay", "failed", 7.5, 'Assertion is false: "Paid" is visible'),
    ]


def test_a_suite_without_a_root_around_it_and_odd_times_are_read(tmp_path: Path) -> None:
    assert in_short(read(tmp_path, SUREFIRE)) == [
        ("com.example.FirstTest", "a", "passed", 1234.5, None),
        ("com.example.FirstTest", "b", "passed", 0, None),
    ]


def test_an_empty_suite_has_no_results(tmp_path: Path) -> None:
    assert read(tmp_path, "<testsuites/>") == []


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><testsuite name="&b;"/>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, r"out\.xml is refused: JUnit XML has no document type \(line 1\)"),
        (OUTSIDE, "has no document type"),
        ('<!DOCTYPE testsuite SYSTEM "http://127.0.0.1/x.dtd"><testsuite/>', "has no document type"),
        ("", r"no XML: no element found \(line 1\)"),
        ("<testsuite>\n<testcase name='a'>", r"no XML: no element found \(line 2\)"),
        ("<testsuite>\n\n<a></b></testsuite>", r"no XML: mismatched tag \(line 3\)"),
        ("<testsuite name='&nobody;'/>", "no XML: undefined entity"),
        ("<html><body/></html>", "no JUnit XML: it begins with html"),
        ("{}", "no XML"),
        (b"\x00\x01\x02\xff", "no XML"),
        ("<?xml version='1.0' encoding='klingon'?><testsuite/>", "no XML"),
        ("<testsuite><testcase/></testsuite>", "a testcase has no name"),
        ("<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>", "inside another"),
        ("<testsuite>" * 200 + "</testsuite>" * 200, "nested more than 100 deep"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(ActionFailedError, match=words):
        read(tmp_path, text)


def test_a_file_without_end_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "out.xml"
    with path.open("wb") as file:
        file.write(b"<testsuite>")
        file.truncate(65 << 20)

    with pytest.raises(ActionFailedError, match="larger than 64 MB"):
        read_junit(path)


def test_more_tests_than_anybody_has_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ActionFailedError, match=f"more than {MOST_CASES} tests"):
        read(tmp_path, "<testsuite>" + "<testcase name='a'/>" * (MOST_CASES + 1) + "</testsuite>")


def test_a_trace_without_end_is_not_kept_whole(tmp_path: Path) -> None:
    text = f"<testsuite><testcase name='a'><failure>{'x' * 1_000_000}</failure></testcase></testsuite>"

    [result] = read(tmp_path, text)

    assert LONGEST_TRACE < len(result.trace or "") < 200_000


def test_a_missing_file_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(ActionFailedError, match=r"none\.xml cannot be read: No such file"):
        read_junit(tmp_path / "none.xml")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(), st.text(st.sampled_from("<>/&;\"'=! testcaesuifnmr\n")).map(str.encode)))
def test_nothing_but_a_clear_error_comes_of_noise(tmp_path: Path, noise: bytes) -> None:
    with suppress(ActionFailedError):
        assert all(result.name for result in read(tmp_path, b"<testsuite>" + noise + b"</testsuite>"))
