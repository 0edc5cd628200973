"""Sessions: phones held for a person or a program."""

import time
from collections.abc import Iterator, Sequence
from typing import Final, Literal
from uuid import UUID

from corral.client.hold import Hold
from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import WaitTimeoutError
from corral.model.sessions import DeviceSession, SessionState
from corral.wire.sessions import Release, Renewal, SessionPage, SessionRequest, Touch, check_touch

_WAIT_S: Final = 20.0
"""How long one request waits: less than clients wait for an answer."""


class Sessions:
    """`client.sessions`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def open(
        self,
        *,
        tags: Sequence[str] = (),
        device: str | int | None = None,
        ttl_s: float = 600.0,
        purpose: str | None = None,
        wait_s: float = 0.0,
    ) -> DeviceSession:
        """Hold any phone with these tags, or the one of this number, serial or id. Never repeated by itself.

        It may still be waiting for its phone when this returns, and ends `ttl_s` after the last word on it; see `wait`,
        `renew` and, for all of that, `hold`. Raises NotFoundError for the device, InvalidRequestError for tags that no
        device has.
        """
        request = SessionRequest(
            tags=[*tags],
            device=None if device is None else str(device),
            ttl_s=ttl_s,
            purpose=purpose,
            wait_s=min(wait_s, _WAIT_S),
        )
        return self._transport.send("POST", "/api/sessions", DeviceSession, request)

    def hold(
        self,
        *,
        tags: Sequence[str] = (),
        device: str | int | None = None,
        ttl_s: float = 60.0,
        purpose: str | None = None,
        wait_s: float = 3600.0,
    ) -> Hold:
        """A phone for the length of a `with` block: waits for it, renews in the background, and releases it at the end."""
        return Hold(self, tags=tags, device=device, ttl_s=ttl_s, purpose=purpose, wait_s=wait_s)

    def get(self, session_id: UUID | str, *, wait_s: float = 0.0) -> DeviceSession:
        """One session; waits up to `wait_s` (20 at most) while it has no phone yet. Raises NotFoundError."""
        query = {"wait_s": min(wait_s, _WAIT_S) or None}
        return self._transport.get(f"/api/sessions/{session_id}", DeviceSession, query)

    def wait(self, session_id: UUID | str, *, timeout_s: float) -> DeviceSession:
        """The session once it has its phone, or has ended. Raises WaitTimeoutError; renewing it is the caller's."""
        deadline = time.monotonic() + timeout_s
        while True:
            left_s = deadline - time.monotonic()
            session = self.get(session_id, wait_s=max(0.0, min(left_s, _WAIT_S)))
            if session.state is not SessionState.WAITING:
                return session
            if left_s <= 0:
                raise WaitTimeoutError(f"no phone within {timeout_s:g} s", path="session_id")

    def renew(self, session_id: UUID | str, *, ttl_s: float | None = None) -> DeviceSession:
        """Go on for as long as before, or for `ttl_s`, from now. Raises ForbiddenError, ConflictError once it ended."""
        path = f"/api/sessions/{session_id}/renew"
        return self._transport.send("POST", path, DeviceSession, Renewal(ttl_s=ttl_s), is_repeatable=True)

    def release(self, session_id: UUID | str, *, reason: str | None = None) -> DeviceSession:
        """End it. Another's needs a reason. Repeating it is safe."""
        path = f"/api/sessions/{session_id}/release"
        return self._transport.send("POST", path, DeviceSession, Release(reason=reason), is_repeatable=True)

    def input(self, session_id: UUID | str, touch: Touch) -> None:
        """Touch the screen, type, press a key. Raises ConflictError unless the session is active. Never repeated."""
        check_touch(touch)
        self._transport.send("POST", f"/api/sessions/{session_id}/input", object, touch)

    def list(self, *, state: Literal["live", "all"] = "live", most: int | None = None) -> Iterator[DeviceSession]:
        """Sessions, newest first: those that have not ended, or all."""
        query = {"state": state, "limit": None if most is None else min(most, 500)}

        def ask(before: UUID | None) -> "tuple[list[DeviceSession], UUID | None]":
            page = self._transport.get("/api/sessions", SessionPage, {**query, "before": before})
            return page.sessions, page.next

        return each_of(ask, most=most)
