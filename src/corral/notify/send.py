"""POST to an address that a person gave.

Redirections are not followed, answers are read no further than a few lines, and nothing is reached that is not on the public
internet, unless the settings allow it: the name is resolved here, judged, and the very address that was judged is connected to.
"""

import asyncio
import socket
import time
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final

import httpcore
import httpx
from msgspec import Struct

import corral
from corral.model.reading import read_count
from corral.notify.address import is_public

TIMEOUT_S: Final = 10.0
_MOST_READ: Final = 4096
_MOST_QUOTED: Final = 200
_MOST_CONNECTIONS: Final = 100
_SUCCESS: Final = range(200, 300)


class Answer(Struct, frozen=True, kw_only=True):
    """How an attempt ended: delivered where there is no error. `retry_after` is what the receiver asked for."""

    status_code: int | None = None
    latency_ms: int
    error: str | None = None
    retry_after: timedelta | None = None


class Sender:
    """Sends bodies, each on a connection of its own, which ends with the answer."""

    def __init__(self, *, allow_private: bool, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            network_backend=_Checked(allow_private=allow_private),
            max_connections=_MOST_CONNECTIONS,
            max_keepalive_connections=0,
        )

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Whatever happens is an answer. Its error never holds the URL."""
        started = time.monotonic()
        told = {"content-type": "application/json", "user-agent": f"Corral/{corral.__version__}", **headers}
        status: int | None = None
        retry_after: timedelta | None = None
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._pool.stream("POST", url, headers=list(told.items()), content=body) as got,
            ):
                status = got.status
                retry_after = _read_retry_after(got.headers)
                said = await _read_some(got)
            error = None if status in _SUCCESS else _complaint(status, said)
        except TimeoutError:
            error = f"no answer within {self._timeout_s:g} s" if status is None else "the answer did not end in time"
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError) as failed:
            error = str(failed) or "the connection broke"
        latency_ms = round((time.monotonic() - started) * 1000)
        return Answer(status_code=status, latency_ms=latency_ms, error=error, retry_after=retry_after)


class _Checked(httpcore.AnyIOBackend):
    """Connects to addresses that were judged, and to no others."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = await _resolve(host, port)
        refused = [] if self._allow_private else [each for each in addresses if not is_public(each)]
        if refused:
            message = f"{host} leads to {refused[0]}, which is not on the public internet (see webhook_allow_private)"
            raise httpcore.ConnectError(message)
        failed: httpcore.ConnectError | None = None
        for address in addresses:
            try:
                return await super().connect_tcp(address, port, timeout, local_address, socket_options)
            except httpcore.ConnectError as error:
                failed = error
        raise httpcore.ConnectError(f"cannot connect to {host}: {failed}")


async def _resolve(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpcore.ConnectError(f"cannot resolve {host}: {error}") from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _read_some(response: httpcore.Response) -> bytes:
    said = b""
    async for piece in response.aiter_stream():
        said += piece
        if len(said) >= _MOST_READ:
            break
    return said[:_MOST_READ]


def _complaint(status: int, said: bytes) -> str:
    quoted = " ".join("".join(c if c.isprintable() else " " for c in said.decode(errors="replace")).split())[
        :_MOST_QUOTED
    ]
    redirected = ": redirections are not followed" if status in range(300, 400) else ""
    return f"answered {status}{redirected}" + (f": {quoted}" if quoted and not redirected else "")


def _read_retry_after(headers: Iterable[tuple[bytes, bytes]]) -> timedelta | None:
    value = next((value for name, value in headers if name.lower() == b"retry-after"), b"")
    seconds = read_count(value.decode(errors="replace"))
    return None if seconds is None else timedelta(seconds=min(seconds, 86400))
