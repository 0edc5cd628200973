"""When a request is given up: after a while without progress, however long a transfer takes that goes on."""

import asyncio
from typing import Any, Final, cast

from litestar.connection import ASGIConnection
from litestar.types import Message, Receive

REQUEST_TIMEOUT_S: Final = 75.0
# So much must come or go for the while to begin anew: a byte now and then is no progress.
_PROGRESS_BYTES: Final = 64 * 1024
_SLOWEST_STORE: Final = 1024 * 1024
DEADLINE: Final = "corral.deadline"


class Deadline:
    """One request's. Put around `asyncio.timeout`, it watches the body on its way in and the answer on its way out."""

    def __init__(self, timeout: asyncio.Timeout, timeout_s: float) -> None:
        self._timeout = timeout
        self._timeout_s = timeout_s
        self._moved = 0

    def watch(self, receive: Receive) -> Receive:
        async def watched() -> Any:  # noqa: ANN401 - ASGI's messages
            message = await receive()
            self.count(cast("Message", message))
            return message

        return watched

    def count(self, message: Message) -> None:
        """Take note of a body, or a part of one."""
        body = cast("dict[str, Any]", message).get("body")
        self._moved += len(body) if body else 0
        if self._moved >= _PROGRESS_BYTES:
            self._moved = 0
            self.postpone()

    def postpone(self, by_s: float = 0.0) -> None:
        """Begin the while anew, a longer one for work that moves nothing."""
        when = asyncio.get_running_loop().time() + self._timeout_s + by_s
        self._timeout.reschedule(max(when, self._timeout.when() or 0.0))


def allow_time_to_store(connection: ASGIConnection[Any, Any, Any, Any], size_bytes: int) -> None:
    """Let this request take as long as a slow store needs for so many bytes."""
    deadline: Deadline = cast("dict[str, Any]", connection.scope)[DEADLINE]
    deadline.postpone(size_bytes / _SLOWEST_STORE)
