"""Commands on the node itself, where its operator allowed them."""

from __future__ import annotations

import asyncio
import codecs
from asyncio.subprocess import Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from corral.model.errors import ActionFailedError
from corral.node.actions.commands import MOST_TEXT, shortened, text_of
from corral.node.actions.process import environment, kill_group, release, spawn
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
    try:
        process = await spawn(args.command, folder=bench.scratch, variables=environment({**about, **args.environment}))
    except (OSError, ValueError) as error:
        raise ActionFailedError(f"the command could not be started: {shortened(str(error))}") from None
    listener = Listener(bench)
    try:
        exit_code = await _attend(process, args.stdin.encode(), listener)
    finally:
        release(process)
    stdout, stderr = text_of(bytes(listener.stdout)), text_of(bytes(listener.stderr))
    if args.exit_code is not None and exit_code != args.exit_code:
        said = shortened((stderr or stdout)[-300:]) or "nothing was printed"
        raise ActionFailedError(f"the command ended with {exit_code} instead of {args.exit_code}: {said}")
    return {**listener.output, "exit_code": exit_code, "stdout": stdout, "stderr": stderr}


class Listener:
    """What a command prints, line by line: to the log, and into the output."""

    def __init__(self, bench: Bench) -> None:
        self.stdout, self.stderr = bytearray(), bytearray()
        self.output: dict[str, Any] = {}
        self._bench = bench
        self._lines = 0

    def hear_output(self, line: str) -> None:
        if line.startswith(_OUTPUT_PREFIX):
            self._keep(line.removeprefix(_OUTPUT_PREFIX))
        self._log(line)

    def hear_error(self, line: str) -> None:
        self._log(line)

    def _keep(self, text: str) -> None:
        try:
            self.output |= msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError:
            self._bench.log("warning", "a line that begins with OUTPUT: holds no JSON object and was left out")

    def _log(self, line: str) -> None:
        self._lines += 1
        if self._lines <= MOST_LINES:
            self._bench.log("info", line[:_LONGEST_LINE])
        elif self._lines == MOST_LINES + 1:
            self._bench.log("warning", f"the command printed more than {MOST_LINES} lines; the rest is not logged")


async def _attend(process: Process, stdin: bytes, listener: Listener) -> int:
    """Feed the process, read all it prints, and return how it ended."""
    if process.stdin is None or process.stdout is None or process.stderr is None:  # pragma: no cover - spawn makes them
        raise ActionFailedError("the command has no pipes")
    async with asyncio.TaskGroup() as group:
        feeding = group.create_task(_feed(process.stdin, stdin))
        reading = asyncio.gather(
            group.create_task(_read(process.stdout, listener.stdout, listener.hear_output)),
            group.create_task(_read(process.stderr, listener.stderr, listener.hear_error)),
        )
        exit_code = await process.wait()
        feeding.cancel()
        # Descendants may hold the pipes open; those that left the group would do so for ever.
        kill_group(process)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PIPES_CLOSE_S):
                await reading
    return exit_code


async def _feed(pipe: asyncio.StreamWriter, content: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.write(content)
        await pipe.drain()
        pipe.close()


async def _read(pipe: asyncio.StreamReader, kept: bytearray, hear: Callable[[str], None]) -> None:
    """Read to the end. What is beyond the limit is heard line by line, but not kept."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    while chunk := await pipe.read(1 << 16):
        kept += chunk[: max(0, MOST_TEXT - len(kept))]
        *lines, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in lines:
            hear(line.rstrip("\r"))
        if len(rest) > MOST_TEXT:
            hear(rest)
            rest = ""
    if rest:
        hear(rest)


ACTIONS: dict[str, Action] = {"shell.run": run}
