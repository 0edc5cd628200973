"""The stream: whoever listens is told what changes, as server-sent events, from now on or from where it was."""

import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final, cast

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Response

from corral.api.auth import check_door, knock_of
from corral.api.coordinator.frames import frame_changes, frame_update, read_place
from corral.api.coordinator.hub import Listener
from corral.api.coordinator.live import LiveResponse
from corral.api.deadline import DEADLINE, Deadline
from corral.api.doors import door_of
from corral.api.knock import Knock
from corral.api.server import Server
from corral.model.coordinator import Place
from corral.model.errors import CorralError

_LOOK_EVERY_S: Final = 5.0
_BEAT_AFTER_LOOKS: Final = 3
_BEAT: Final = b": still here\n\n"
_PAGE: Final = 500
_LONGEST_S: Final = 86_400.0


@get("/v1/stream", media_type="text/event-stream")
async def open_stream(
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    *,
    token: Annotated[str | None, QueryParameter(description="The credential, where no header can be set")] = None,  # noqa: ARG001 - the gate reads it
    for_s: Annotated[float, QueryParameter(ge=0, le=_LONGEST_S)] = _LONGEST_S,
) -> Response[bytes]:
    """What changes, as it does. The header Last-Event-ID goes on behind that event; `for_s` ends the stream after a while."""
    last_id = request.headers.get("last-event-id", "")
    after = read_place(last_id)
    if after is not None and not await server.engine.changes.is_in_stream(after):
        after = None
    listener = await server.streams.join()
    talk = _Talk(server, listener, request, ends_at=time.monotonic() + for_s)
    return LiveResponse(
        talk.tell(after, is_new=not last_id),
        is_too_slow=listener.is_too_slow,
        at_end=lambda: server.streams.leave(listener),
    )


class _Talk:
    """One listener's stream. The credential that opened it is looked at again and again: one that is revoked ends it."""

    def __init__(self, server: Server, listener: Listener, request: Request[Any, Any, Any], *, ends_at: float) -> None:
        self._server = server
        self._listener = listener
        self._knock: Knock = knock_of(request)
        self._deadline: Deadline = cast("dict[str, Any]", request.scope)[DEADLINE]
        self._ends_at = ends_at

    async def tell(self, after: Place | None, *, is_new: bool) -> AsyncIterator[bytes]:
        """All that is to be sent, until the stream is over."""
        joined_at = self._listener.joined_at
        if after is None:
            yield frame_update(joined_at, reason="connected" if is_new else "missed")
        while after is not None and after < joined_at:
            changes = await self._server.engine.changes.list_changes(after, until=joined_at, limit=_PAGE)
            if not changes:
                break
            yield await frame_changes(self._server.engine, changes)
            self._deadline.postpone()
            after = changes[-1].place
        async for frames in self._follow():
            yield frames

    async def _follow(self) -> AsyncIterator[bytes]:
        looked_at, quiet_looks = time.monotonic(), 0
        while not self._listener.is_over.is_set() and (left_s := self._ends_at - time.monotonic()) > 0:
            self._deadline.postpone()
            frames = await self._listener.take(min(_LOOK_EVERY_S, left_s))
            if frames:
                yield frames
                quiet_looks = 0
            if time.monotonic() < looked_at + _LOOK_EVERY_S:
                continue
            looked_at, quiet_looks = time.monotonic(), quiet_looks + 1
            if not await self._may_listen():
                return
            if quiet_looks >= _BEAT_AFTER_LOOKS:
                yield _BEAT
                quiet_looks = 0

    async def _may_listen(self) -> bool:
        try:
            check_door(door_of("GET", "/v1/stream"), await self._server.doorkeeper.identify(self._knock))
        except CorralError:
            return False
        return True


HANDLERS: Final = [open_stream]
