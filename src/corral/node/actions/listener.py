"""What a program on the node prints: line by line to the job's log, and `OUTPUT: {…}` lines into the step's output."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from corral.model.reading import read_json
from corral.node.actions.commands import MOST_TEXT, text_of
from corral.node.actions.process import STDOUT
from corral.node.actions.protocol import Bench

MOST_LINES: Final = 1_000
_LONGEST_LINE: Final = 2_000
_OUTPUT_PREFIX: Final = "OUTPUT: "


class Channel:
    """What came through one pipe: its beginning as bytes, and all of it line by line."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""

    @property
    def text(self) -> str:
        return text_of(bytes(self._kept))

    def take(self, chunk: bytes) -> Iterator[str]:
        """The lines that the chunk completes. One without end is cut."""
        self._kept += chunk[: max(0, MOST_TEXT - len(self._kept))]
        *lines, self._rest = (self._rest + self._decoder.decode(chunk)).split("\n")
        yield from (line.rstrip("\r") for line in lines)
        if len(self._rest) > MOST_TEXT:
            yield self._rest
            self._rest = ""

    def end(self) -> Iterator[str]:
        if self._rest:
            yield self._rest


class Listener:
    """What a command prints: to the log, and into the output."""

    def __init__(self, bench: Bench) -> None:
        self.stdout, self.stderr = Channel(), Channel()
        self.output: dict[str, Any] = {}
        self._bench = bench
        self._lines = 0

    def hear(self, which: int, chunk: bytes) -> None:
        channel = self.stdout if which == STDOUT else self.stderr
        for line in channel.take(chunk):
            self._tell(line, is_output=which == STDOUT)

    def finish(self) -> None:
        """Hear what has no line break after it."""
        for channel in (self.stdout, self.stderr):
            for line in channel.end():
                self._tell(line, is_output=channel is self.stdout)

    def _tell(self, line: str, *, is_output: bool) -> None:
        if is_output and line.startswith(_OUTPUT_PREFIX):
            self._keep(line.removeprefix(_OUTPUT_PREFIX))
        self._lines += 1
        if self._lines <= MOST_LINES:
            self._bench.log("info", line[:_LONGEST_LINE])
        elif self._lines == MOST_LINES + 1:
            self._bench.log("warning", f"the command printed more than {MOST_LINES} lines; the rest is not logged")

    def _keep(self, text: str) -> None:
        try:
            self.output |= read_json(text, dict[str, Any])
        except msgspec.DecodeError:
            self._bench.log("warning", "a line that begins with OUTPUT: holds no JSON object and was left out")
