"""A program on the node that the whole step is about: started, listened to, and ended with the step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from corral.model.errors import ActionFailedError
from corral.node.actions.commands import shortened
from corral.node.actions.listener import Listener
from corral.node.actions.process import Running, environment, spawn
from corral.node.actions.protocol import Bench

_PIPES_CLOSE_S: Final = 2.0


class Outcome:
    """How it ended, and what it said."""

    def __init__(self, exit_code: int, listener: Listener) -> None:
        self.exit_code = exit_code
        self.stdout = listener.stdout.text
        self.stderr = listener.stderr.text
        self.output = listener.output

    @property
    def last_words(self) -> str:
        return shortened((self.stderr or self.stdout)[-300:]) or "nothing was printed"


async def run_program(
    bench: Bench,
    command: str | Sequence[str],
    *,
    variables: Mapping[str, str],
    stdin: bytes = b"",
    folder: Path | None = None,
) -> Outcome:
    """Run it to its end; each line that it prints goes to the log. Whatever it left running is ended with it.

    Raises ActionFailedError where it cannot be started.
    """
    about = {"CORRAL_RUN_ID": bench.run.run_id, "CORRAL_JOB_ID": bench.run.job_id, "CORRAL_STEP_ID": bench.step_id}
    listener = Listener(bench)
    try:
        process = await spawn(
            command, folder=folder or bench.scratch, variables=environment({**about, **variables}), hear=listener.hear
        )
    except (OSError, ValueError) as error:
        raise ActionFailedError(f"the command could not be started: {shortened(str(error))}") from None
    try:
        await _attend(process, stdin)
    finally:
        process.release()
    listener.finish()
    return Outcome(process.exit_code, listener)


async def _attend(process: Running, stdin: bytes) -> None:
    """Return when the process has ended and said its last word."""
    process.feed(stdin)
    await process.exited.wait()
    # Descendants may hold the pipes open; those that left the group would do so for ever.
    process.kill_group()
    with suppress(TimeoutError):
        async with asyncio.timeout(_PIPES_CLOSE_S):
            await process.silent.wait()
