"""One way out, to the hosts that are configured and to no other: no redirects, little time, little space, few tries.

A path is the caller's, a host never is. A key travels in a header: addresses end up in logs.
"""

import asyncio
import random
import ssl
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from corral import __version__
from corral.config import is_loopback
from corral.model.errors import YouTubeUnavailableError

_RETRIED: Final = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE_S: Final = 0.25
_MOST_PAUSE_S: Final = 2.0


class Answer(Struct, frozen=True, kw_only=True):
    """What came: its status, headers in lower case, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Fetcher:
    """Asks, a few times if need be. `timeout_s` bounds one try, `deadline_s` all of them together."""

    def __init__(
        self,
        *,
        timeout_s: float = 8.0,
        deadline_s: float = 25.0,
        tries: int = 3,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._timeout_s = timeout_s
        self._deadline_s = deadline_s
        self._tries = tries
        self._pause = pause

    async def get(
        self,
        base: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        limit_bytes: int,
    ) -> Answer:
        """The answer, whatever its status but a redirect's. Raises YouTubeUnavailableError where there is none."""
        try:
            async with asyncio.timeout(self._deadline_s):
                return await self._try(base, path, dict(query or {}), dict(headers or {}), limit_bytes)
        except TimeoutError:
            raise YouTubeUnavailableError(f"{_host(base)} did not answer within {self._deadline_s:g} s") from None

    async def _try(
        self, base: str, path: str, query: dict[str, str], headers: dict[str, str], limit_bytes: int
    ) -> Answer:
        for attempt in range(1, self._tries + 1):
            try:
                answer = await self._ask(base, path, query, headers, limit_bytes)
            except httpx.HTTPError as error:
                if attempt == self._tries:
                    reason = str(error) or type(error).__name__
                    raise YouTubeUnavailableError(f"{_host(base)} cannot be reached: {reason}") from error
            else:
                if answer.status not in _RETRIED or attempt == self._tries:
                    return answer
            longest = min(_FIRST_PAUSE_S * 2.0 ** (attempt - 1), _MOST_PAUSE_S)
            await self._pause(longest * random.uniform(0.5, 1.0))  # noqa: S311 - jitter
        raise AssertionError  # pragma: no cover - the last try returns or raises

    async def _ask(
        self, base: str, path: str, query: dict[str, str], headers: dict[str, str], limit_bytes: int
    ) -> Answer:
        headers = {"user-agent": f"corral/{__version__}", "accept-language": "en", **headers}
        # A proxy of the environment is of no use for this machine.
        is_here = is_loopback(urlsplit(base).hostname or "")
        async with (
            httpx.AsyncClient(
                timeout=self._timeout_s, follow_redirects=False, trust_env=not is_here, verify=self._tls
            ) as http,
            http.stream("GET", f"{base.rstrip('/')}{path}", params=query, headers=headers) as answer,
        ):
            if answer.has_redirect_location:
                message = f"{_host(base)} answered {answer.status_code}, a redirect, which is not followed"
                raise YouTubeUnavailableError(message, code="youtube_unexpected")
            body = bytearray()
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > limit_bytes:
                    message = f"{_host(base)} sent more than {limit_bytes} bytes"
                    raise YouTubeUnavailableError(message, code="youtube_unexpected")
            return Answer(status=answer.status_code, headers=dict(answer.headers), body=bytes(body))

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()


def check_answer(answer: Answer, what: str) -> None:
    """Raise YouTubeUnavailableError unless this is an answer to go on with: 200, or 304 where one had asked for that."""
    if answer.status not in {200, 304}:
        raise YouTubeUnavailableError(f"YouTube answered {answer.status} when asked for {what}")


def _host(base: str) -> str:
    return urlsplit(base).netloc
