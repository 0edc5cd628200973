"""What happens to every request, found or not: an id, a caller, a time limit, safe headers, a log line, a measure."""

import asyncio
import re
import time
import uuid
from ipaddress import ip_network
from typing import Any, Final, cast

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send, WebSocketScope

from corral.api.auth import CALLER, KNOCK
from corral.api.deadline import DEADLINE, REQUEST_TIMEOUT_S, Deadline
from corral.api.doorkeeper import Doorkeeper
from corral.api.knock import Knock, read_knock
from corral.api.metrics import Metrics
from corral.api.problems import describe
from corral.api.socket_reply import SocketReply
from corral.model.errors import RequestTimeoutError
from corral.telemetry import bind, bound, logger
from corral.wire.problems import ErrorBody

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,128}")
_SECURITY_HEADERS: Final = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_log = logger(__name__)


class Gate:
    """The outermost layer of the app."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        doorkeeper: Doorkeeper,
        metrics: Metrics,
        trusted_proxy: str = "",
        timeout_s: float = REQUEST_TIMEOUT_S,
    ) -> None:
        self._app = app
        self._timeout_s = timeout_s
        self._doorkeeper = doorkeeper
        self._trusted_proxy = ip_network(trusted_proxy) if trusted_proxy else None
        self._metrics = metrics
        self._open = 0
        self._quiet = asyncio.Event()
        self._quiet.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._open += 1
        self._quiet.clear()
        try:
            if scope["type"] == ScopeType.HTTP:
                await self._serve(scope, receive, send)
            else:
                await self._serve_socket(scope, receive, send)
        finally:
            self._open -= 1
            if self._open == 0:
                self._quiet.set()

    async def until_quiet(self) -> None:
        """Return when no request is being served, and no WebSocket is open."""
        await self._quiet.wait()

    async def _serve(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        knock = read_knock(scope, trusted_proxy=self._trusted_proxy)
        request_id = _name_request(knock)
        reply = _Reply(send, request_id)
        started = time.perf_counter()
        with bound(request_id=request_id, actor=None):
            try:
                async with asyncio.timeout(self._timeout_s) as timeout:
                    reply.deadline = deadline = Deadline(timeout, self._timeout_s)
                    caller = await self._doorkeeper.identify(knock)
                    cast("dict[str, Any]", scope).update({KNOCK: knock, CALLER: caller, DEADLINE: deadline})
                    if caller.actor is not None:
                        bind(actor=caller.actor)
                    await self._app(scope, deadline.watch(receive), reply)
            except TimeoutError:
                await reply.refuse(RequestTimeoutError("the request took too long"))
            except Exception as error:  # noqa: BLE001 - the outermost layer: behind it, nobody would say anything
                await reply.refuse(error)
            took_s = time.perf_counter() - started
            route = str(scope.get("path_template") or "unknown")
            self._metrics.count_request(scope["method"], route, reply.status, took_s)
            _log.debug("served", method=scope["method"], path=scope["path"], status=reply.status, took_s=took_s)

    async def _serve_socket(self, scope: WebSocketScope, receive: Receive, send: Send) -> None:
        """A WebSocket is let in as a request is; what then goes on is its handler's to bound."""
        knock = read_knock(scope, trusted_proxy=self._trusted_proxy)
        request_id = _name_request(knock)
        reply = SocketReply(scope, send, [(b"x-request-id", request_id.encode()), *_SECURITY_HEADERS])
        started = time.perf_counter()
        with bound(request_id=request_id, actor=None):
            try:
                async with asyncio.timeout(self._timeout_s):
                    caller = await self._doorkeeper.identify(knock)
                cast("dict[str, Any]", scope).update({KNOCK: knock, CALLER: caller})
                if caller.actor is not None:
                    bind(actor=caller.actor)
                await self._app(scope, receive, reply)
            except TimeoutError:
                await reply.refuse(RequestTimeoutError("the request took too long"))
            except Exception as error:  # noqa: BLE001 - as above
                await reply.refuse(error)
            took_s = time.perf_counter() - started
            route = str(scope.get("path_template") or "unknown")
            self._metrics.count_socket(route, reply.status)
            _log.debug("served", method=knock.method, path=scope["path"], status=reply.status, took_s=took_s)


def _name_request(knock: Knock) -> str:
    """The id that the caller gave the request, or a new one."""
    request_id = knock.headers.get("x-request-id", "")
    return request_id if _REQUEST_ID.fullmatch(request_id) else uuid.uuid4().hex


class _Reply:
    """Sends, with our headers; knows what it has sent."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._headers = [(b"x-request-id", request_id.encode()), *_SECURITY_HEADERS, (b"cache-control", b"no-store")]
        self.status = 0
        self.deadline: Deadline | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            told = list(message.get("headers", []))
            names = {name.lower() for name, _ in told}  # what a handler says itself is stricter, or meant
            message["headers"] = [*told, *(header for header in self._headers if header[0] not in names)]
        await self._send(message)
        if self.deadline is not None:
            self.deadline.count(message)

    async def refuse(self, error: Exception) -> None:
        """Answer with an error, unless an answer is under way: that one can only be broken off."""
        if self.status:
            _log.error("an answer broke off", exc_info=error)
            return
        status, fault = describe(error)
        body = msgspec.json.encode(ErrorBody(error=fault))
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if status == 401:  # noqa: PLR2004 - HTTP's own number
            headers.append((b"www-authenticate", b"Bearer"))
        if status in {429, 503}:
            headers.append((b"retry-after", b"60" if status == 429 else b"1"))  # noqa: PLR2004 - as above
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": body, "more_body": False})
