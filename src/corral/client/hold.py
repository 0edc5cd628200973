"""A phone for the length of a block: waited for, renewed in the background, released at the end."""

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from corral.model.errors import ConflictError, CorralError, NotFoundError, ServerUnavailableError
from corral.model.sessions import DeviceSession, SessionDevice, SessionState

if TYPE_CHECKING:
    from corral.client.sessions import Sessions

_RENEWALS_PER_TTL: Final = 3
_SOON_S: Final = 1.0


class Hold:
    """A session as a context manager. `ended` is set when the phone is no longer ours, whoever ended that.

    Dying without leaving the block does no harm: the session expires.
    """

    def __init__(
        self,
        sessions: "Sessions",
        *,
        tags: Sequence[str],
        device: str | int | None,
        ttl_s: float,
        purpose: str | None,
        wait_s: float,
    ) -> None:
        self._sessions = sessions
        self._tags = tags
        self._device = device
        self._ttl_s = ttl_s
        self._purpose = purpose
        self._wait_s = wait_s
        self._session: DeviceSession | None = None
        self._leaving = threading.Event()
        self._renewing: threading.Thread | None = None
        self.ended = threading.Event()

    @property
    def session(self) -> DeviceSession:
        """As it was when the server last spoke of it."""
        if self._session is None:
            raise ConflictError("the session is not open")
        return self._session

    @property
    def device(self) -> SessionDevice:
        """The phone. Raises ConflictError where there is none."""
        if self.session.device is None:
            raise ConflictError(f"session {self.session.session_id} has no phone")
        return self.session.device

    def check(self) -> None:
        """Raise ConflictError, with the reason, once the phone is no longer ours."""
        if self.ended.is_set():
            raise _ended_error(self.session)

    def __enter__(self) -> Self:
        self._session = self._sessions.open(
            tags=self._tags, device=self._device, ttl_s=self._ttl_s, purpose=self._purpose
        )
        self._renewing = threading.Thread(target=self._renew, name="corral-session", daemon=True)
        self._renewing.start()
        try:
            self._await_phone()
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()

    def _await_phone(self) -> None:
        self._session = self._sessions.wait(self.session.session_id, timeout_s=self._wait_s)
        if self._session.state is SessionState.ENDED:
            raise _ended_error(self._session)

    def _let_go(self) -> None:
        """Release it; a server that is away learns of it by the expiry."""
        self._leaving.set()
        if self._renewing is not None:
            self._renewing.join()
        try:
            self._session = self._sessions.release(self.session.session_id)
        except (ServerUnavailableError, NotFoundError):
            pass
        finally:
            self.ended.set()

    def _renew(self) -> None:
        until = time.monotonic() + self._ttl_s
        pause_s = self._ttl_s / _RENEWALS_PER_TTL
        while not self._leaving.wait(pause_s):
            asked_at = time.monotonic()
            try:
                self._session = self._sessions.renew(self.session.session_id)
                until, pause_s = asked_at + self._ttl_s, self._ttl_s / _RENEWALS_PER_TTL
            except ServerUnavailableError:
                if time.monotonic() >= until:
                    break
                pause_s = _SOON_S
            except CorralError:  # it has ended; how is for the server to say
                break
        if not self._leaving.is_set():
            self._find_out()
            self.ended.set()

    def _find_out(self) -> None:
        try:
            self._session = self._sessions.get(self.session.session_id)
        except CorralError:
            return


def _ended_error(session: DeviceSession) -> ConflictError:
    why = session.end_reason or "expired"
    words = f"session {session.session_id} has ended: {why}" + (
        f", {session.end_message}" if session.end_message else ""
    )
    return ConflictError(words, code="session_ended", path="session_id")
