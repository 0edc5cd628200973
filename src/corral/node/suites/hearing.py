"""One `am instrument` on the phone: its tests as they end, and how the whole of it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError, DeviceNotBootedError
from corral.node.actions import waiting
from corral.node.suites.instrumentation import Broken, Ended, Finished, Happening, InstrumentationParser, Started
from corral.node.suites.results import Key, key_from

_OK = -1
_LONGEST_QUOTE = 500


class HeardTest(NamedTuple):
    """A test that ended, and how long it took."""

    ended: Ended
    duration_s: float


class Ending(NamedTuple):
    """How an instrumentation ended. `trouble` is why it did before its end; `running` the test that was under way."""

    trouble: str | None
    is_stuck: bool
    running: Key | None
    ran_s: float
    """How long that test had been going."""


async def hear(
    phone: Phone, line: str, *, on_test: Callable[[HeardTest], None], on_output: Callable[[bytes], None], quiet_s: float
) -> Ending:
    """Run it to its end. One in which no test begins or ends for so long is given up.

    Raises ActionFailedError where Android would not start it, and DeviceError where the phone, not the app, is the trouble.
    """
    hearing = _Hearing(on_test, on_output)
    listening = asyncio.ensure_future(phone.listen(line, hearing.hear))
    try:
        while not listening.done():
            left_s = hearing.touched_at + quiet_s - waiting.now()
            if left_s <= 0:
                return hearing.stuck(quiet_s)
            await asyncio.wait({listening}, timeout=left_s)
        listening.result()
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return hearing.end()


class _Hearing:
    def __init__(self, on_test: Callable[[HeardTest], None], on_output: Callable[[bytes], None]) -> None:
        self._on_test = on_test
        self._on_output = on_output
        self._parser = InstrumentationParser()
        self._running: Started | None = None
        self._began_at = 0.0
        self._broken: Broken | None = None
        self._finished: Finished | None = None
        self.touched_at = waiting.now()

    def hear(self, chunk: bytes) -> None:
        self._on_output(chunk)
        for happening in self._parser.feed(chunk):
            self._take(happening)

    def _take(self, happening: Happening) -> None:
        self.touched_at = waiting.now()
        match happening:
            case Started():
                if self._running is not None:
                    self._end(Ended(*self._key(self._running), -1, "the runner did not tell how it ended"))
                self._running, self._began_at = happening, self.touched_at
            case Ended():
                self._end(happening)
            case Broken():
                self._broken = self._broken or happening
            case Finished():
                self._finished = happening

    def _end(self, ended: Ended) -> None:
        is_running = self._running is not None and self._key(self._running) == (ended.class_name, ended.name)
        self._on_test(HeardTest(ended, waiting.now() - self._began_at if is_running else 0.0))
        if is_running:
            self._running = None

    def end(self) -> Ending:
        for happening in self._parser.end():
            self._take(happening)
        if self._broken is not None and self._broken.is_system:
            raise DeviceNotBootedError(f"Android went down: {self._broken.message}")
        if self._broken is not None:
            raise ActionFailedError(f"am instrument: {self._broken.message[:_LONGEST_QUOTE]}")
        if self._finished is None:
            said = " ".join(self._parser.loose)[:_LONGEST_QUOTE]
            return self._ending(
                f"the runner ended without a word: {said}" if said else "the runner ended without a word"
            )
        if self._finished.crash is not None:
            return self._ending(self._finished.crash[:_LONGEST_QUOTE])
        return self._ending(None if self._finished.code == _OK else f"the runner ended early ({self._finished.code})")

    def stuck(self, quiet_s: float) -> Ending:
        return self._ending(f"nothing happened for {quiet_s:g} s", is_stuck=True)

    def _ending(self, trouble: str | None, *, is_stuck: bool = False) -> Ending:
        running = None if self._running is None else key_from(*self._key(self._running))
        return Ending(trouble, is_stuck, running, waiting.now() - self._began_at if running else 0.0)

    @staticmethod
    def _key(started: Started) -> Key:
        return started.class_name, started.name
