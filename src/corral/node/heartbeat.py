"""The heartbeat: its own thread with its own connection, which no amount of work can starve.

It renews every sixth of a lease, sooner when devices have changed. It decides nothing: what the server answers is
handed to the loop. When the loop itself has stopped turning, renewing would keep phones from everybody, so it stops.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Final

import httpx
import msgspec
from msgspec import Struct

from corral.model.errors import CorralError, ServerUnavailableError
from corral.model.reading import read_json
from corral.model.records import Heartbeat
from corral.node.clock import Clock
from corral.node.leases import BEATS_PER_LEASE
from corral.node.link import AUTH_HEADER, CONNECT_S
from corral.node.problems import raise_for_problem
from corral.node.pulse import Pulse
from corral.telemetry import logger
from corral.wire.nodes import Beat

_SHORTEST_S: Final = 0.5
"""Between two beats, however much there is to say."""

_LEAST_TIMEOUT_S: Final = 3.0
_log = logger(__name__)


class Beaten(Struct, frozen=True):
    """A beat that was answered. `sent_at` is when it left, by the clock that counts the time asleep."""

    beat: Beat
    reply: Heartbeat
    sent_at: float


class BeatHeart:
    """The thread. `on_answer` and `on_refusal`, also told when the beat left, are called in it, and must only hand over."""

    def __init__(
        self,
        *,
        base_url: str,
        secret: str | None,
        pulse: Pulse,
        clock: Clock,
        lease_s: float,
        on_answer: Callable[[Beaten], None],
        on_refusal: Callable[[CorralError, float], None],
    ) -> None:
        self._pulse = pulse
        self._clock = clock
        self._interval_s = lease_s / BEATS_PER_LEASE
        self._on_answer = on_answer
        self._on_refusal = on_refusal
        self._hurry = threading.Event()
        self._stop = threading.Event()
        self._is_heard = True
        timeout = httpx.Timeout(max(_LEAST_TIMEOUT_S, self._interval_s), connect=CONNECT_S)
        headers = {AUTH_HEADER: secret} if secret else {}
        self._http = httpx.Client(base_url=base_url, headers=headers, timeout=timeout)
        run = partial(copy_context().run, self._run)  # its log lines are about the same node
        self._thread = threading.Thread(target=run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def hurry(self) -> None:
        """There is something to say: beat soon."""
        self._hurry.set()

    def stop(self) -> None:
        """No more beats; returns at once, and the thread ends after the beat under way."""
        self._stop.set()
        self._hurry.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        with self._http:
            while not self._stop.is_set():
                self._hurry.clear()
                wait_s = self._beat()
                if self._stop.wait(min(_SHORTEST_S, wait_s)):
                    return
                self._hurry.wait(max(0.0, wait_s - _SHORTEST_S))

    def _beat(self) -> float:
        """One beat; how long until the next one is due."""
        if self._pulse.is_stalled:
            _log.error("the agent does not turn any more: its leases are not renewed")
            return self._interval_s
        # Before the epoch is read: a beat with the epoch of before a registration must not look younger than it.
        sent_at = self._clock()
        beat = self._pulse.beat()
        try:
            reply = self._send(beat)
        except ServerUnavailableError as error:
            if self._is_heard:
                _log.warning("no answer to the heartbeat", why=error.message)
            self._is_heard = False
            return min(1.0, self._interval_s)
        except CorralError as error:
            self._on_refusal(error, sent_at)
            return self._interval_s
        if not self._is_heard:
            _log.info("the server answers again")
        self._is_heard = True
        self._interval_s = reply.lease_s / BEATS_PER_LEASE
        self._on_answer(Beaten(beat, reply, sent_at))
        return max(0.0, self._interval_s - (self._clock() - sent_at))

    def _send(self, beat: Beat) -> Heartbeat:
        try:
            answer = self._http.post(
                "/api/nodes/heartbeat",
                content=msgspec.json.encode(beat),
                headers={"content-type": "application/json"},
            )
        except httpx.HTTPError as error:
            raise ServerUnavailableError(f"{type(error).__name__}: {error}") from error
        raise_for_problem(answer.status_code, answer.content)
        try:
            return read_json(answer.content, Heartbeat)
        except msgspec.DecodeError as error:
            raise ServerUnavailableError(f"the answer cannot be read: {error}") from error
