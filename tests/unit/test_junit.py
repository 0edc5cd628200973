"""JUnit XML: valid and true, whatever a test said."""

from datetime import UTC, datetime
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from corral.api.junit import write_junit
from corral.model.states import CaseStatus
from corral.model.testing import EarlierTry, Suite, SuiteCase
from tests.junit_schema import check_junit

RUN_ID = UUID("01890000-0000-7000-8000-000000000000")
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
HOSTILE = [
    "]]>",
    "<![CDATA[x]]>",
    "</failure></testcase></testsuite>",
    '"quoted" & \'single\' <tag attr="x"/>',
    "&#0; &amp; &unknown;",
    "\x00\x01\x08\x0b\x0c\x0e\x1f\x7f\x85",
    "\ufffe\uffff",
    "tab\there\nline\r\nlines\rback",
    "한국어 😀 \U0010ffff",
    "",
    " ",
    "trace " * 4_000,
]


SUITE = Suite(
    step="suite",
    device_id=RUN_ID,
    is_unjudged=False,
    index=7,
    serial="R58M1",
    node_id="rack-1",
    model="Pixel <8>",
    os_version="15",
    started_at=AT,
)
CASE = SuiteCase(
    class_name="com.example.SomeTest",
    name="test",
    status=CaseStatus.PASSED,
    duration_s=1.5,
    message=None,
    trace=None,
    is_flaky=False,
    earlier=None,
)
EARLIER = EarlierTry(
    index=3,
    serial="R58M3",
    attempt=1,
    try_=1,
    status=CaseStatus.FAILED,
    duration_s=0.5,
    message=None,
    trace=None,
)


def make_suite(**fields: object) -> Suite:
    return replace(SUITE, **fields)


def make_case(name: str = "test", status: str = "passed", **fields: object) -> SuiteCase:
    return replace(CASE, name=name, status=CaseStatus(status), **fields)


def make_earlier(**fields: object) -> EarlierTry:
    return replace(EARLIER, **fields)


async def write(*suites: tuple[Suite, list[SuiteCase]], name: str = "nightly") -> str:
    async def list_cases(suite: Suite) -> list[SuiteCase]:
        return next(cases for each, cases in suites if each is suite)

    pieces = [piece async for piece in write_junit(RUN_ID, name, [suite for suite, _ in suites], list_cases)]
    return "".join(pieces)


async def test_a_report_without_tests_is_valid() -> None:
    assert len(check_junit(await write())) == 0


async def test_every_status_has_its_element() -> None:
    cases = [
        make_case("a"),
        make_case("b", "failed", message="expected 1", trace="at B.java:7"),
        make_case("c", "errored", message="gone"),
        make_case("d", "skipped", message="not today"),
    ]

    root = check_junit(await write((make_suite(), cases)))

    (suite,) = root
    assert suite.attrib == {
        "name": "suite on 7 (R58M1)",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
        "time": "6.000",
        "timestamp": "2026-01-02T03:04:05",
        "hostname": "rack-1",
        "id": "0",
        "package": "suite",
    }
    assert [child.tag for case in suite.findall("testcase") for child in case] == ["failure", "error", "skipped"]
    failure, error = suite.find(".//failure"), suite.find(".//error")
    assert failure is not None
    assert error is not None
    assert (failure.get("message"), failure.text) == ("expected 1", "at B.java:7")
    assert error.text == "gone"
    assert {each.get("name"): each.get("value") for each in suite.iter("property")}["device.model"] == "Pixel <8>"


async def test_earlier_tries_of_a_flaky_test_are_in_its_output() -> None:
    case = make_case(is_flaky=True, earlier=[make_earlier(message="expected 1", trace="at A.java:1")])

    (suite,) = check_junit(await write((make_suite(), [case])))

    output = suite.find("testcase/system-out")
    assert output is not None
    assert output.text == (
        "flaky: it passed after it had failed\ntry 1 on 3 (R58M3): failed after 0.500 s\nexpected 1\nat A.java:1"
    )


async def test_tests_that_no_phone_executed_are_errors_of_a_suite_of_their_own() -> None:
    nobody = {"device_id": None, "is_unjudged": True, "index": None, "serial": None, "node_id": None, "model": None}
    case = make_case("a", "errored", duration_s=0.0, message="not run: no phone was left")

    root = check_junit(await write((make_suite(), [make_case()]), (make_suite(**nobody, os_version=None), [case])))

    assert [suite.get("name") for suite in root] == ["suite on 7 (R58M1)", "suite on no phone"]
    assert [suite.get("id") for suite in root] == ["0", "1"]


async def test_a_part_that_holds_nothing_is_left_out() -> None:
    assert len(check_junit(await write((make_suite(), [])))) == 0


async def test_a_test_without_a_class_is_of_its_step() -> None:
    root = check_junit(await write((make_suite(), [make_case(class_name="")])))

    assert [case.get("classname") for case in root.iter("testcase")] == ["suite"]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_texts_stay_texts(text: str) -> None:
    named = text or "x"
    earlier = [make_earlier(message=text, trace=text, serial=None, index=None)]
    cases = [
        make_case(named, status, class_name=text, message=text, trace=text, earlier=earlier)
        for status in ("passed", "failed", "errored", "skipped")
    ]

    document = await write((make_suite(model=text, os_version=text), cases), name=text)
    root = check_junit(document)

    assert len(root.findall(".//testcase")) == len(cases)
    failure = root.find(".//failure")
    assert failure is not None
    assert (failure.text or "") == readable(text)
    assert failure.get("message") == readable(text)


@settings(deadline=None)
@given(text=st.text(max_size=200))
async def test_any_text_at_all_stays_a_text(text: str) -> None:
    text = text.encode(errors="replace").decode()
    cases = [make_case("a" + text, "failed", class_name=text, message=text, trace=text or "x")]

    root = check_junit(await write((make_suite(), cases), name=text))

    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == readable(text)


async def test_a_huge_report_is_valid_and_written_a_suite_at_a_time() -> None:
    cases = [make_case(f"t{n}", "failed", message="m" * 2_000, trace="]]>" * 6_000) for n in range(100)]

    root = check_junit(await write(*((make_suite(index=number), cases) for number in range(3))))

    assert len(root.findall(".//failure")) == 300


def readable(text: str) -> str:
    """What a reader of XML 1.0 can get of a text: the rest has been replaced."""
    return "".join(
        char
        if char in "\t\n\r" or "\x20" <= char <= "\ud7ff" or "\ue000" <= char <= "\ufffd" or char >= "\U00010000"
        else "\ufffd"
        for char in text
    )


VALID = '<testcase name="a" classname="b" time="0"/>'
FRAME = (
    '<testsuites><testsuite name="s" tests="{tests}" failures="0" errors="0" time="0"'
    ' timestamp="2026-01-02T03:04:05" hostname="h">{cases}</testsuite></testsuites>'
)


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ("<testsuite/>", "testsuites"),
        ("<testsuites><testsuite/></testsuites>", "lacks name"),
        ("<testsuites colour='red'/>", "no attribute colour"),
        ("<testsuites>words</testsuites>", "holds text"),
        (FRAME.format(tests=1, cases="<thing/>"), "not an element"),
        (FRAME.format(tests=2, cases=VALID), "tests 2, but 1"),
        (FRAME.format(tests="one", cases=VALID), "is no xs:nonNegativeInteger"),
        (FRAME.format(tests=1, cases=f"<system-out/>{VALID}"), "holds <system-out><testcase>"),
        (FRAME.format(tests=1, cases=VALID.replace("/>", "><failure type='x'/><error type='x'/></testcase>")), "holds"),
        (
            FRAME.format(tests=1, cases=VALID.replace("/>", "><system-out><b/></system-out></testcase>")),
            "more than text",
        ),
    ],
)
def test_the_checker_notices_what_is_wrong(document: str, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        check_junit(document)


def test_the_checker_takes_what_is_right() -> None:
    assert check_junit(FRAME.format(tests=1, cases=VALID)).tag == "testsuites"
    with pytest.raises(ET.ParseError):
        check_junit("<testsuites>")
