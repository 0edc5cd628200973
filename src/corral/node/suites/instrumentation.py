"""What `am instrument -w -r` prints, understood as it comes: a pure parser that is fed bytes and yields what happened.

The stream is made of bundles: lines `INSTRUMENTATION_STATUS: key=value`, of which a value may go on over many lines,
ended by `INSTRUMENTATION_STATUS_CODE: n`; at last one of `INSTRUMENTATION_RESULT:` and `INSTRUMENTATION_CODE:`. Real
streams have more: warnings of the linker, line breaks of a terminal, bundles that are no tests, a process that dies
half-way. What is not understood is passed over; what is too long is cut; nothing is raised.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from corral.model.reading import read_number

LONGEST_VALUE: Final = 1 << 16
"""A stack trace of a stack overflow has no natural end."""

_MOST_LOOSE: Final = 20
_STATUS: Final = "INSTRUMENTATION_STATUS: "
_STATUS_CODE: Final = "INSTRUMENTATION_STATUS_CODE: "
_RESULT: Final = "INSTRUMENTATION_RESULT: "
_CODE: Final = "INSTRUMENTATION_CODE: "
_BROKEN: Final = re.compile(
    r"(?:onError: commandError=\w+ message=|[\w.$]*(?:Exception|Error): )?INSTRUMENTATION_(FAILED|ABORTED): ?(.*)"
)
_START: Final = 1
_ENDS: Final = frozenset({0, -1, -2, -3, -4})


class Started(Struct, frozen=True):
    """A test began. `total` is how many the runner has, where it says so."""

    class_name: str
    name: str
    total: int | None


class Ended(Struct, frozen=True):
    """A test ended: 0 passed, -1 error, -2 failure, -3 ignored, -4 an assumption did not hold."""

    class_name: str
    name: str
    code: int
    stack: str


class Broken(Struct, frozen=True):
    """`am` could not do it: no such runner, or (`is_system`) Android itself went down."""

    message: str
    is_system: bool


class Finished(Struct, frozen=True):
    """The runner is done. `crash` says why the app's process died, if it did."""

    code: int
    crash: str | None


Happening = Started | Ended | Broken | Finished


class InstrumentationParser:
    """One stream."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._status: dict[str, str] = {}
        self._result: dict[str, str] = {}
        self._bundle: dict[str, str] | None = None
        self._key = ""
        self.loose: list[str] = []
        """The first lines that belong to no bundle: what to quote when nothing else explains an end."""

    def feed(self, chunk: bytes) -> Iterator[Happening]:
        """What the chunk tells. Lines may come in any number of pieces."""
        *lines, rest = (self._rest + self._decoder.decode(chunk)).split("\n")
        self._rest = rest[:LONGEST_VALUE]
        for line in lines:
            yield from self._take(line.rstrip("\r"))

    def end(self) -> Iterator[Happening]:
        """What a last line without a break tells."""
        rest, self._rest = self._rest, ""
        if rest:
            yield from self._take(rest.rstrip("\r"))

    def _take(self, line: str) -> Iterator[Happening]:
        if line.startswith(_STATUS_CODE):
            yield from self._end_status(_number(line.removeprefix(_STATUS_CODE)))
        elif line.startswith(_CODE):
            yield from self._end_result(_number(line.removeprefix(_CODE)))
        elif line.startswith(_STATUS):
            self._begin(self._status, line.removeprefix(_STATUS))
        elif line.startswith(_RESULT):
            self._begin(self._result, line.removeprefix(_RESULT))
        elif found := _BROKEN.match(line):
            self._bundle = None
            yield Broken(found[2].strip() or "am instrument gave no reason", is_system=found[1] == "ABORTED")
        elif self._bundle is not None:
            self._continue(line)
        elif line.strip() and len(self.loose) < _MOST_LOOSE:
            self.loose.append(line.strip()[:1_000])

    def _begin(self, bundle: dict[str, str], pair: str) -> None:
        self._key, _, value = pair.partition("=")
        self._bundle = bundle
        bundle[self._key] = value[:LONGEST_VALUE]

    def _continue(self, line: str) -> None:
        if self._bundle is not None:
            value = self._bundle[self._key]
            if len(value) < LONGEST_VALUE:
                self._bundle[self._key] = f"{value}\n{line}"[:LONGEST_VALUE]

    def _end_status(self, code: int | None) -> Iterator[Happening]:
        status, self._status, self._bundle = self._status, {}, None
        class_name, name = status.get("class", "").strip(), status.get("test", "").strip()
        if class_name and code == _START:
            yield Started(class_name, _named(name), _number(status.get("numtests", "")))
        elif class_name and code in _ENDS:
            yield Ended(class_name, _named(name), code or 0, status.get("stack", "").strip("\n"))
        elif not class_name and (error := status.get("Error", "").strip()):
            yield Broken(error, is_system=False)

    def _end_result(self, code: int | None) -> Iterator[Happening]:
        result, self._result, self._bundle = self._result, {}, None
        words = [each for each in (result.get("shortMsg", "").strip(), result.get("longMsg", "").strip()) if each]
        yield Finished(0 if code is None else code, ": ".join(dict.fromkeys(words)) or None)


def _number(text: str) -> int | None:
    return read_number(text.strip())


def _named(name: str) -> str:
    """A class that fails before its first test is told of without a name, as Java says it."""
    return "" if name == "null" else name
