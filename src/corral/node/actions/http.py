"""Requests from the node. A redirect is an answer like any other, and never followed."""

from __future__ import annotations

import logging
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import msgspec

from corral.model.errors import ActionFailedError
from corral.model.reading import read_json
from corral.node.actions.commands import shortened
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.http import RequestArgs, RequestOutput

MOST_BODY: Final = 256 * 1024
_CONNECT_S: Final = 15.0

# httpx tells every address in its logs, whole, and addresses hold tokens.
logging.getLogger("httpx").setLevel(logging.WARNING)


async def request(bench: Bench, args: RequestArgs) -> RequestOutput:
    """The answer, its body cut where it is too long; raises ActionFailedError for none, or one that was not expected."""
    where = f"{args.method} {_origin(args.url)}"
    try:
        answer = await _send(bench, args)
    except httpx.HTTPError as error:
        # The request's own words are left out: they may repeat the address or a header.
        raise ActionFailedError(f"{where}: {type(error).__name__}: {_cause(error)}") from None
    except (UnicodeEncodeError, ValueError):
        raise ActionFailedError(f"{where}: a header or the body cannot be sent", path="with.headers") from None
    if not _is_expected(answer.status, args.expect_status):
        expected = "200 to 299" if args.expect_status is None else ", ".join(map(str, args.expect_status))
        raise ActionFailedError(f"{where}: answered {answer.status}, not {expected}: {shortened(answer.body)}")
    return answer


async def _send(bench: Bench, args: RequestArgs) -> RequestOutput:
    # Not compressed, so that the limit holds for what arrives.
    headers = httpx.Headers({"accept-encoding": "identity", "user-agent": "corral"})
    content: bytes | None = None
    if args.json is not None:
        content, headers["content-type"] = msgspec.json.encode(args.json), "application/json"
    elif args.body is not None:
        content, headers["content-type"] = args.body.encode(), "text/plain; charset=utf-8"
    headers.update(args.headers)
    # The step's timeout bounds the whole; only a host that is not there should show sooner.
    limits = httpx.Timeout(None, connect=_CONNECT_S)
    async with (
        httpx.AsyncClient(timeout=limits, follow_redirects=False) as client,
        client.stream(args.method, args.url, headers=headers, content=content) as response,
    ):
        body, is_whole = await _read(response)
        if not is_whole:
            bench.log("warning", f"the answer was cut after {MOST_BODY} bytes")
        return RequestOutput(
            status=response.status_code,
            headers={name.lower(): value for name, value in response.headers.items()},
            body=_text(response, body),
            json=_parsed(response, body) if is_whole else None,
        )


async def _read(response: httpx.Response) -> tuple[bytes, bool]:
    body = bytearray()
    async for chunk in response.aiter_bytes(64 * 1024):
        body += chunk
        if len(body) > MOST_BODY:
            return bytes(body[:MOST_BODY]), False
    return bytes(body), True


def _text(response: httpx.Response, body: bytes) -> str:
    try:
        return body.decode(response.charset_encoding or "utf-8", errors="replace")
    except LookupError:  # an encoding that nobody knows
        return body.decode(errors="replace")


def _parsed(response: httpx.Response, body: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    if "json" not in response.headers.get("content-type", "") or not body:
        return None
    try:
        return read_json(body)
    except msgspec.DecodeError:
        return None


def _is_expected(status: int, expected: list[int] | None) -> bool:
    return httpx.codes.is_success(status) if expected is None else status in expected


def _origin(url: str) -> str:
    """Whom is asked, without what may be secret: user, path and query. Raises ActionFailedError if nobody can be."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme, parts.hostname or "", parts.port  # which refuses numbers that are no port
        httpx.URL(url)
    except (ValueError, httpx.InvalidURL):
        scheme, host, port = "", "", None
    if not host or scheme not in ("http", "https"):
        raise ActionFailedError("the address cannot be asked: it must be http or https, with a host", path="with.url")
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def _cause(error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "no connection in time"
    if isinstance(error, httpx.ConnectError):
        return shortened(str(error)) or "no connection"
    return "the exchange broke off" if isinstance(error, httpx.TransportError) else "the answer cannot be read"


ACTIONS: dict[str, Action] = {"http.request": request}
