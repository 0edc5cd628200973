"""Reading JUnit XML that a test runner left. Nobody vouches for it: it is read piece by piece and within bounds.

There is no one format. What all runners share is `testcase` with a `name`, wherever it is, with at most one `failure`,
`error` or `skipped` inside. A document type is refused, and with it every entity: that is where XML bites.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from corral.model.errors import ActionFailedError
from corral.model.states import CaseStatus
from corral.node.suites.results import make_result
from corral.wire.testing import LONGEST_TRACE, ToldResult

MOST_BYTES: Final = 64 << 20
MOST_CASES: Final = 20_000
_MOST_TRACE: Final = 2 * LONGEST_TRACE
_DEEPEST: Final = 100
_PIECE: Final = 1 << 16
_ROOTS: Final = frozenset({"testsuites", "testsuite"})
_OUTCOMES: Final = {
    "failure": CaseStatus.FAILED,
    "error": CaseStatus.ERRORED,
    "skipped": CaseStatus.SKIPPED,
}


def read_junit(path: Path) -> list[ToldResult]:
    """The results in a file, each as a first try. Raises ActionFailedError that says what is wrong with it, and where.

    It reads the whole file: call it in a thread.
    """
    reader = _Reader(path.name)
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) > MOST_BYTES:
                raise ActionFailedError(f"{path.name} is larger than {MOST_BYTES >> 20} MB")
            file.seek(0)
            while piece := file.read(_PIECE):
                reader.feed(piece)
            reader.end()
    except OSError as error:
        raise ActionFailedError(f"{path.name} cannot be read: {error.strerror or error}") from error
    return reader.results


class _Reader:
    def __init__(self, name: str) -> None:
        self.results: list[ToldResult] = []
        self._name = name
        self._path: list[str] = []
        self._suites: list[str] = []
        self._case: _Case | None = None
        self._parser = expat.ParserCreate()
        self._parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self._parser.StartDoctypeDeclHandler = self._refuse_type
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.buffer_text = True

    def feed(self, piece: bytes) -> None:
        self._parse(piece, is_last=False)

    def end(self) -> None:
        self._parse(b"", is_last=True)

    def _parse(self, piece: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(piece, is_last)
        except expat.ExpatError as error:
            raise self._wrong(f"no XML: {expat.ErrorString(error.code)}") from None
        except (ValueError, LookupError) as error:  # an encoding that nobody knows
            raise self._wrong(f"no XML: {error}") from None

    def _wrong(self, what: str) -> ActionFailedError:
        return ActionFailedError(f"{self._name} is {what} (line {self._parser.CurrentLineNumber})")

    def _refuse_type(self, *_: Any) -> None:  # noqa: ANN401 - expat's
        raise self._wrong("refused: JUnit XML has no document type")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if not self._path and tag not in _ROOTS:
            raise self._wrong(f"no JUnit XML: it begins with {tag[:50]}")
        if len(self._path) >= _DEEPEST:
            raise self._wrong(f"no JUnit XML: it is nested more than {_DEEPEST} deep")
        self._path.append(tag)
        if tag == "testsuite":
            self._suites.append(attributes.get("name", ""))
        elif tag == "testcase":
            if self._case is not None:
                raise self._wrong("no JUnit XML: a testcase is inside another")
            if len(self.results) >= MOST_CASES:
                raise self._wrong(f"too long: it has more than {MOST_CASES} tests")
            self._case = self._begin(attributes)
        elif self._case is not None and tag in _OUTCOMES and self._case.outcome is None:
            self._case.begin(tag, attributes)

    def _begin(self, attributes: dict[str, str]) -> _Case:
        name = attributes.get("name", "").strip()
        class_name = (attributes.get("classname") or attributes.get("class") or "").strip()
        if not name and not class_name:
            raise self._wrong("no JUnit XML: a testcase has no name")
        return _Case(class_name or (self._suites[-1] if self._suites else ""), name, _seconds(attributes.get("time")))

    def _end(self, tag: str) -> None:
        tag = tag.rpartition(":")[2]
        self._path.pop()
        if tag == "testsuite":
            self._suites.pop()
        elif tag == "testcase" and self._case is not None:
            self.results.append(self._case.result())
            self._case = None
        elif self._case is not None and tag == self._case.open_tag:
            self._case.open_tag = None

    def _text(self, text: str) -> None:
        if self._case is not None and self._case.open_tag == self._path[-1]:
            self._case.add(text)


class _Case:
    """A test while it is read."""

    def __init__(self, class_name: str, name: str, seconds: float) -> None:
        self._key = (class_name, name)
        self._seconds = seconds
        self.outcome: CaseStatus | None = None
        self.open_tag: str | None = None
        self._message = ""
        self._trace: list[str] = []
        self._size = 0

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        self.outcome, self.open_tag = _OUTCOMES[tag], tag
        self._message = attributes.get("message") or attributes.get("type") or ""

    def add(self, text: str) -> None:
        if self._size < _MOST_TRACE:
            self._trace.append(text)
            self._size += len(text)

    def result(self) -> ToldResult:
        trace = "".join(self._trace).strip()
        message = self._message.strip() or trace.partition("\n")[0].strip()
        status = self.outcome or CaseStatus.PASSED
        return make_result(self._key, status, try_=1, duration_s=self._seconds, message=message, trace=trace)


def _seconds(text: str | None) -> float:
    """Some write 1,234.5; what is no number is no time."""
    try:
        seconds = float((text or "0").replace(",", ""))
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
