"""The node's way to the server: typed calls over one pool of connections. It repeats nothing by itself.

Three kinds of trouble are told apart: the server is away or struggling (ServerUnavailableError: ask again), it said no
(RequestRefusedError: do not), and another agent is this node now (StaleEpochError: stop).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Self, TypeVar
from uuid import UUID

import httpx
import msgspec

from corral.model.errors import ServerUnavailableError
from corral.model.reading import read_json
from corral.model.records import EventResult, Registration
from corral.model.testing import Chunk, Offer
from corral.node.problems import raise_for_problem
from corral.node.socket_line import SocketLine, open_line
from corral.wire.nodes import CallbackReply, PictureFailure, Pull, Pulled, Register, Watched
from corral.wire.steps import Claim, Claimed
from corral.wire.testing import ClaimTests, OfferTests

T = TypeVar("T")
AUTH_HEADER: Final = "X-Node-Auth"
CONNECT_S: Final = 5.0
ANSWER_S: Final = 30.0
_SLACK_S: Final = 10.0
_JSON: Final = {"content-type": "application/json"}
_BYTES: Final = {"content-type": "application/octet-stream"}
_LINE: Final = 2_000


class Link:
    """Speaks for one node. `async with` closes its connections."""

    def __init__(self, *, base_url: str, node_id: str, secret: str | None) -> None:
        self._node_id = node_id
        self._base_url = base_url.rstrip("/")
        self._headers = {AUTH_HEADER: secret} if secret else {}
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers=self._headers,
            timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=16, max_keepalive_connections=8, keepalive_expiry=60),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def register(self, request: Register) -> Registration:
        return await self._post("/api/nodes/register", request, Registration)

    async def pull(self, request: Pull) -> Pulled:
        return await self._post("/api/nodes/pull", request, Pulled, timeout_s=request.wait_s + _SLACK_S)

    async def claim(self, request: Claim) -> Claimed:
        return await self._post("/api/nodes/claim", request, Claimed, timeout_s=request.wait_s + _SLACK_S)

    async def offer_tests(self, request: OfferTests) -> Offer:
        return await self._post("/api/nodes/tests/offer", request, Offer)

    async def claim_tests(self, request: ClaimTests) -> Chunk:
        return await self._post("/api/nodes/tests/claim", request, Chunk, timeout_s=request.wait_s + _SLACK_S)

    async def call_back(self, events: list[bytes]) -> list[EventResult]:
        """Tell what happened; each event is the JSON that the spool keeps. What is answered is committed."""
        body = {"node_id": self._node_id, "events": [msgspec.Raw(event) for event in events]}
        reply = await self._post("/api/nodes/callback", body, CallbackReply)
        if len(reply.results) != len(events):
            raise ServerUnavailableError(f"{len(events)} events were answered with {len(reply.results)} results")
        return reply.results

    async def show(self, device_id: UUID, picture: bytes, *, epoch: int) -> float:
        """What a screen shows; for how many seconds somebody still looks at it."""
        path = f"/api/nodes/{self._node_id}/pictures/{device_id}?epoch={epoch}"
        answer = await self.send("PUT", path, content=picture, headers=_BYTES)
        return decode(answer, Watched).watch_s

    async def show_failure(self, device_id: UUID, message: str, *, epoch: int) -> float:
        """Why a screen shows nothing; answered as a picture is."""
        failure = PictureFailure(epoch=epoch, message=message[:_LINE] or "no reason was given")
        path = f"/api/nodes/{self._node_id}/pictures/{device_id}/failure"
        return (await self._post(path, failure, Watched)).watch_s

    async def get(self, path: str, kind: type[T]) -> T:
        return decode(await self.send("GET", path), kind)

    async def send(
        self,
        method: str,
        path: str,
        *,
        content: bytes | AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float = ANSWER_S,
    ) -> httpx.Response:
        """One request to the server; raises unless the answer is a good one."""
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        try:
            answer = await self._http.request(method, path, content=content, headers=headers, timeout=timeout)
        except httpx.HTTPError as error:
            raise ServerUnavailableError(f"{method} {path}: {_name(error)}") from error
        raise_for_problem(answer.status_code, answer.content, url=self._base_url)
        return answer

    async def send_elsewhere(self, url: str, *, content: AsyncIterator[bytes], headers: Mapping[str, str]) -> None:
        """PUT to an address that the server gave, such as a presigned one; the node's secret is not sent along."""
        try:
            async with httpx.AsyncClient(timeout=httpx.Timeout(ANSWER_S, connect=CONNECT_S)) as http:
                answer = await http.put(url, content=content, headers=headers)
        except httpx.HTTPError as error:
            raise ServerUnavailableError(f"the artifact store: {_name(error)}") from error
        raise_for_problem(answer.status_code, answer.content, url="the artifact store")

    def stream(self, path: str, *, timeout_s: float = ANSWER_S) -> Any:  # noqa: ANN401 - httpx's own context manager
        """A GET whose body is read piece by piece."""
        return self._http.stream("GET", path, timeout=httpx.Timeout(timeout_s, connect=CONNECT_S))

    @asynccontextmanager
    async def tunnel(self, tunnel_id: UUID) -> AsyncIterator[SocketLine]:
        """The node's end of a tunnel, for the length of a block. Raises as a request does."""
        url = f"ws{self._base_url.removeprefix('http')}/api/nodes/{self._node_id}/tunnels/{tunnel_id}"
        async with open_line(url, headers=self._headers) as line:
            yield line

    async def _post(self, path: str, body: object, kind: type[T], *, timeout_s: float = ANSWER_S) -> T:
        content = msgspec.json.encode(body)
        return decode(await self.send("POST", path, content=content, headers=_JSON, timeout_s=timeout_s), kind)


def decode(answer: httpx.Response, kind: type[T]) -> T:
    """What an answer says. Raises ServerUnavailableError: a proxy may have answered."""
    try:
        return read_json(answer.content, kind)
    except msgspec.DecodeError as error:
        raise ServerUnavailableError(f"the answer cannot be read: {error}") from error


def _name(error: httpx.HTTPError) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
