"""Results of tests as JUnit XML, as build servers read it. Whatever a test said, the file stays well-formed.

One `testsuite` for each step and device; tests that phones share are told once, where their verdict was. Tests that no phone
gave a verdict on are errors of a suite of their own. Tries that came before are in the `system-out` of their test.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Final
from uuid import UUID
from xml.sax.saxutils import escape, quoteattr

from corral.model.states import CaseStatus
from corral.model.testing import EarlierTry, Suite, SuiteCase

# What XML 1.0 has no way to write, not even escaped.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS: Final = {CaseStatus.FAILED: "failure", CaseStatus.ERRORED: "error"}


async def write_junit(
    run_id: UUID, name: str, suites: Sequence[Suite], list_cases: Callable[[Suite], Awaitable[list[SuiteCase]]]
) -> AsyncIterator[str]:
    """The document, a suite at a time: no more than one is in memory, and its counts are those of what it holds."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={_attribute(name)}>\n'
    for number, suite in enumerate(suites):
        cases = await list_cases(suite)
        if cases:
            for line in _suite(run_id, number, suite, cases):
                yield f"{line}\n"
    yield "</testsuites>\n"


def _suite(run_id: UUID, number: int, suite: Suite, cases: Sequence[SuiteCase]) -> Iterator[str]:
    counted = [case.status for case in cases]
    attributes = {
        "name": _name(suite),
        "tests": str(len(cases)),
        "failures": str(counted.count(CaseStatus.FAILED)),
        "errors": str(counted.count(CaseStatus.ERRORED)),
        "skipped": str(counted.count(CaseStatus.SKIPPED)),
        "time": _seconds(sum(case.duration_s for case in cases)),
        "timestamp": suite.started_at.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": suite.node_id or "nobody",
        "id": str(number),
        "package": suite.step,
    }
    yield f"  <testsuite {_attributes(attributes)}>"
    yield from _properties(run_id, suite)
    for case in cases:
        yield from _case(suite, case)
    yield "  </testsuite>"


def _name(suite: Suite) -> str:
    if suite.is_unjudged:
        return f"{suite.step} on no phone"
    return suite.step if suite.serial is None else f"{suite.step} on {suite.index} ({suite.serial})"


def _properties(run_id: UUID, suite: Suite) -> Iterator[str]:
    told = {
        "corral.run_id": str(run_id),
        "device.index": None if suite.index is None else str(suite.index),
        "device.serial": suite.serial,
        "device.model": suite.model,
        "device.os_version": suite.os_version,
    }
    yield "    <properties>"
    for name, value in told.items():
        if value is not None:
            yield f"      <property {_attributes({'name': name, 'value': value})}/>"
    yield "    </properties>"


def _case(suite: Suite, case: SuiteCase) -> Iterator[str]:
    attributes = {"name": case.name, "classname": case.class_name or suite.step, "time": _seconds(case.duration_s)}
    yield f"    <testcase {_attributes(attributes)}>"
    message = {"message": case.message or ""}
    if (element := _ELEMENTS.get(case.status)) is not None:
        trace = _text(case.trace or case.message or "")
        yield f"      <{element} {_attributes({**message, 'type': str(case.status)})}>{trace}</{element}>"
    elif case.status is CaseStatus.SKIPPED:
        yield f"      <skipped {_attributes(message)}/>"
    if case.earlier:
        told = "\n".join(
            [*(["flaky: it passed after it had failed"] if case.is_flaky else []), *map(_earlier, case.earlier)]
        )
        yield f"      <system-out>{_text(told)}</system-out>"
    yield "    </testcase>"


def _earlier(each: EarlierTry) -> str:
    where = "nowhere" if each.serial is None else f"{each.index} ({each.serial})"
    first = f"try {each.try_} on {where}: {each.status} after {_seconds(each.duration_s)} s"
    return "\n".join([first, *(text for text in (each.message, each.trace) if text)])


def _attributes(values: dict[str, str]) -> str:
    return " ".join(f"{name}={_attribute(value)}" for name, value in values.items())


def _attribute(text: str) -> str:
    return quoteattr(_ILLEGAL.sub("\ufffd", text))


def _text(text: str) -> str:
    """A bare carriage return would be read as a line feed; `>` is escaped, so no text ends a section that it is not in."""
    return escape(_ILLEGAL.sub("\ufffd", text), {"\r": "&#13;"})


def _seconds(duration_s: float) -> str:
    return f"{duration_s:.3f}"
