"""Commands on the node itself, where its operator allowed them."""

from __future__ import annotations

import asyncio
import codecs
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from corral.model.errors import ActionFailedError
from corral.node.actions.commands import MOST_TEXT, shortened, text_of
from corral.node.actions.process import STDOUT, Running, environment, spawn
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.shell import RunArgs

MOST_LINES: Final = 1_000
_LONGEST_LINE: Final = 2_000
_OUTPUT_PREFIX: Final = "OUTPUT: "
_PIPES_CLOSE_S: Final = 2.0


async def run(bench: Bench, args: RunArgs) -> dict[str, Any]:
    """Run a command; each line that it prints goes to the log, and `OUTPUT: {…}` lines into the output.

    Raises ActionFailedError, also where it is not allowed. Whatever the command left running is ended with it.
    """
    if not bench.allows_shell:
        raise ActionFailedError("this node runs no commands: it was not started with --allow-shell")
    about = {"CORRAL_RUN_ID": bench.run.run_id, "CORRAL_JOB_ID": bench.run.job_id, "CORRAL_STEP_ID": bench.step_id}
    variables = environment({**about, **args.environment})
    listener = Listener(bench)
    try:
        process = await spawn(args.command, folder=bench.scratch, variables=variables, hear=listener.hear)
    except (OSError, ValueError) as error:
        raise ActionFailedError(f"the command could not be started: {shortened(str(error))}") from None
    try:
        await _attend(process, args.stdin.encode())
    finally:
        process.release()
    listener.finish()
    stdout, stderr = listener.stdout.text, listener.stderr.text
    if args.exit_code is not None and process.exit_code != args.exit_code:
        said = shortened((stderr or stdout)[-300:]) or "nothing was printed"
        raise ActionFailedError(f"the command ended with {process.exit_code} instead of {args.exit_code}: {said}")
    return {**listener.output, "exit_code": process.exit_code, "stdout": stdout, "stderr": stderr}


async def _attend(process: Running, stdin: bytes) -> None:
    """Return when the process has ended and said its last word."""
    process.feed(stdin)
    await process.exited.wait()
    # Descendants may hold the pipes open; those that left the group would do so for ever.
    process.kill_group()
    with suppress(TimeoutError):
        async with asyncio.timeout(_PIPES_CLOSE_S):
            await process.silent.wait()


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
            self.output |= msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError:
            self._bench.log("warning", "a line that begins with OUTPUT: holds no JSON object and was left out")


ACTIONS: dict[str, Action] = {"shell.run": run}
