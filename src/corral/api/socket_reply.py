"""What a caller who wants a WebSocket is answered, if it is refused: the same words as any other request."""

from typing import Any, Final, cast

import msgspec
from litestar.types import Message, Scope, Send

from corral.api.problems import describe
from corral.wire.problems import ErrorBody

ERROR: Final = "corral.error"
ACCEPTED: Final = 101


def note_error(error: Exception, scope: Scope) -> None:
    """Litestar's hook: keep an error that a WebSocket's refusal would not tell."""
    cast("dict[str, Any]", scope)[ERROR] = error


class SocketReply:
    """Sends. What would close a WebSocket before it is accepted becomes a status and a body that say why."""

    def __init__(self, scope: Scope, send: Send, headers: list[tuple[bytes, bytes]]) -> None:
        self._scope = cast("dict[str, Any]", scope)
        self._send = send
        self._headers = headers
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "websocket.accept":
            self.status = ACCEPTED
        elif message["type"] == "websocket.close" and not self.status:
            await self.refuse(self._scope.get(ERROR) or RuntimeError("a WebSocket was closed before it was accepted"))
            return
        await self._send(message)

    async def refuse(self, error: Exception) -> None:
        """Answer with an error instead of a WebSocket; one that is open can only be closed."""
        send = cast("Any", self._send)
        if self.status == ACCEPTED:
            await send({"type": "websocket.close", "code": 1011, "reason": ""})
        elif not self.status:
            self.status, fault = describe(error)
            headers = [(b"content-type", b"application/json"), *self._headers]
            await send({"type": "websocket.http.response.start", "status": self.status, "headers": headers})
            body = msgspec.json.encode(ErrorBody(error=fault))
            await send({"type": "websocket.http.response.body", "body": body, "more_body": False})
