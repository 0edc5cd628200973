"""Requests, their retries and their errors. Only what is safe to say twice is said twice."""

import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from urllib.parse import quote, urlsplit

import httpx
import msgspec

from corral import __version__
from corral.client.config import check_url
from corral.client.problems import to_error
from corral.config import is_loopback
from corral.model.errors import ConfigInvalidError, CorralError, ServerUnavailableError, UnexpectedAnswerError
from corral.model.reading import read_json

T = TypeVar("T")
Query = Mapping[str, Any]
_RETRIED: Final = frozenset({429, 502, 503, 504})
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 2.0
_CONNECT_S: Final = 5.0
_JSON: Final = {"content-type": "application/json"}


class Transport:
    """One server, over a pool of connections. `retries` is how often a safe call is repeated."""

    def __init__(self, base_url: str, *, token: str | None, timeout_s: float, retries: int) -> None:
        check_url(base_url)
        headers = {"user-agent": f"corral/{__version__}", "accept": "application/json"}
        self.credentials: dict[str, str] = {}
        """The headers that say who calls."""

        if token is not None:
            if not token.isascii() or not token.isprintable():
                raise ConfigInvalidError("the token holds characters that no token has", path="token")
            self.credentials = {"authorization": f"Bearer {token}"}
        self.base_url = base_url.rstrip("/")
        self._retries = retries
        # A proxy of the environment is of no use for this machine, and is often not told so.
        self._http = httpx.Client(
            base_url=self.base_url,
            headers={**headers, **self.credentials},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
            trust_env=not is_loopback(urlsplit(base_url).hostname or ""),
        )

    def socket_url(self, path: str) -> str:
        """Where a path is to be opened as a WebSocket."""
        return f"ws{self.base_url.removeprefix('http')}{path}"

    def close(self) -> None:
        self._http.close()

    def get(self, path: str, kind: type[T], query: Query | None = None) -> T:
        """Ask; safe to repeat, and so repeated."""
        return self.decode(self.ask("GET", path, query=query, is_repeatable=True), kind)

    def send(self, method: str, path: str, kind: type[T], body: object = None, *, is_repeatable: bool = False) -> T:
        """Ask for a change; repeated only where the caller says that twice is as good as once."""
        content = msgspec.json.encode({} if body is None else body)
        return self.decode(self.ask(method, path, content=content, headers=_JSON, is_repeatable=is_repeatable), kind)

    def delete(self, path: str) -> None:
        """Ask for an end; asking twice does no harm."""
        self.ask("DELETE", path, is_repeatable=True)

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        content: bytes | Iterator[bytes] | None = None,
        headers: Mapping[str, str] | None = None,
        is_repeatable: bool = False,
    ) -> httpx.Response:
        """The answer, a success or 304. Raises what the server says, and ServerUnavailableError if it says nothing."""
        attempts = 1 + (self._retries if is_repeatable else 0)
        for attempt in range(1, attempts + 1):
            try:
                answer = self._http.request(
                    method, path, params=_plain(query), content=content, headers=dict(headers or {})
                )
            except httpx.HTTPError as error:
                if attempt == attempts or not isinstance(error, httpx.TransportError):
                    raise self._unreachable(error) from error
            else:
                if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
                    return answer
                if attempt == attempts or answer.status_code not in _RETRIED:
                    raise to_error(answer.status_code, answer.content, url=self.base_url)
            time.sleep(_pause_s(attempt))
        raise AssertionError  # pragma: no cover - the last attempt returns or raises

    @contextmanager
    def stream(self, path: str, query: Query | None = None) -> Iterator[httpx.Response]:
        """A body that is read piece by piece, from wherever the server sends us for it; another host is not shown the token."""
        try:
            with self._http.stream("GET", path, params=_plain(query), follow_redirects=True) as answer:
                if not answer.is_success:
                    raise to_error(answer.status_code, answer.read(), url=self.base_url)
                yield answer
        except httpx.HTTPError as error:
            raise self._unreachable(error) from error

    def decode(self, answer: httpx.Response, kind: type[T]) -> T:
        """What an answer says. Raises UnexpectedAnswerError."""
        try:
            return read_json(answer.content or b"null", kind)
        except msgspec.DecodeError as error:
            message = f"{self.base_url} answered {answer.status_code} in words of another version: {error}"
            raise UnexpectedAnswerError(message, status=answer.status_code) from error

    def _unreachable(self, error: httpx.HTTPError) -> CorralError:
        if isinstance(error, httpx.ConnectError):
            return ServerUnavailableError(f"no server answers at {self.base_url}")
        return ServerUnavailableError(f"{self.base_url} does not answer: {str(error) or type(error).__name__}")


def part(text: object) -> str:
    """A part of a path, whatever it holds."""
    return quote(str(text), safe="")


def _plain(query: Query | None) -> dict[str, Any]:
    """Without what was not asked for, and in the words of the API."""
    return {name: _word(value) for name, value in (query or {}).items() if value is not None}


def _word(value: object) -> Any:  # noqa: ANN401 - httpx takes several types
    return msgspec.to_builtins(value)


def _pause_s(attempt: int) -> float:
    return min(_FIRST_PAUSE_S * 2.0 ** (attempt - 1), _LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)  # noqa: S311 - jitter
