"""Who calls, and which doors that opens.

A node shows X-Node-Auth and opens node endpoints only; an operator shows a bearer token or X-Api-Key and opens the
rest. A kind without a configured secret is open to this machine alone, and to no web page but our own: the Host must
be loopback, the Origin the same, and bodies of a type that no page can send elsewhere unasked.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from enum import StrEnum
from typing import Any, Final, cast
from urllib.parse import urlsplit

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from msgspec import Struct

from corral.config import ServerConfig, is_loopback
from corral.model.errors import ForbiddenError, TooManyFailuresError, UnauthenticatedError, UnsupportedMediaTypeError

_MOST_FAILURES: Final = 10
_FAILURE_WINDOW_S: Final = 60.0
_MOST_ADDRESSES: Final = 10_000
_SAFE_TYPES: Final = frozenset({"application/json", "application/yaml"})
# Raw bytes come by methods alone that a browser sends nowhere else without asking there first, which is refused.
_RAW_TYPE: Final = "application/octet-stream"
_ASKED_METHODS: Final = frozenset({"PUT", "PATCH"})
CALLER: Final = "corral.caller"


class Kind(StrEnum):
    """The two kinds of callers."""

    NODE = "node"
    OPERATOR = "operator"


class Caller(Struct, frozen=True):
    """Who calls: which doors are open, which secrets would open more, and the name that audits keep."""

    kinds: frozenset[Kind]
    actor: str | None = None
    node_id: str | None = None
    """The node that the credential proves, where it proves which; the shared secret does not."""
    refusal: str | None = None


class Doorkeeper:
    """Tells callers apart. Wrong credentials are counted by address, and soon not even looked at."""

    def __init__(self, config: ServerConfig) -> None:
        self._digests = {
            kind: _digest(secret.reveal().encode())
            for kind, secret in ((Kind.NODE, config.node_secret), (Kind.OPERATOR, config.operator_token))
            if secret is not None
        }
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def identify(self, *, headers: dict[str, str], address: str, has_body: bool, method: str) -> Caller:
        """Raises UnauthenticatedError for a wrong credential, TooManyFailuresError; ForbiddenError without a secret."""
        shown = _shown(headers)
        if not shown:
            return self._identify_local(headers, address=address, has_body=has_body, method=method)
        kinds = frozenset(kind for kind, text in shown.items() if self._is_right(kind, text, address))
        if any(kind not in self._digests for kind in kinds):
            _check_local(headers, address=address, has_body=has_body, method=method)
        return Caller(kinds, actor="operator" if Kind.OPERATOR in kinds else None)

    def _is_right(self, kind: Kind, text: str, address: str) -> bool:
        if kind not in self._digests:
            return True
        record = self._record(address)
        if record.is_barred and kind not in record.proven:
            raise TooManyFailuresError("too many wrong credentials from this address; try again in a minute")
        if not hmac.compare_digest(_digest(text.encode("latin-1")), self._digests[kind]):
            record.failures += 1
            raise UnauthenticatedError(f"the {kind} credential is wrong")
        # A neighbour behind the same address must not lock out those who have shown that they know the secret.
        record.proven.add(kind)
        return True

    def _identify_local(self, headers: dict[str, str], *, address: str, has_body: bool, method: str) -> Caller:
        open_kinds = frozenset(kind for kind in Kind if kind not in self._digests)
        if not open_kinds:
            return Caller(open_kinds)
        try:
            _check_local(headers, address=address, has_body=has_body, method=method)
        except ForbiddenError as error:
            return Caller(frozenset(), refusal=error.message)
        return Caller(open_kinds, actor="local")

    def _record(self, address: str) -> "_Record":
        now = time.monotonic()
        record = self._records.pop(address, None)
        if record is None or (record.since < now - _FAILURE_WINDOW_S and not record.proven):
            record = _Record(now)
        elif record.since < now - _FAILURE_WINDOW_S:
            record.since, record.failures = now, 0
        self._records[address] = record
        if len(self._records) > _MOST_ADDRESSES:
            self._records.popitem(last=False)
        return record


class _Record:
    """What an address has shown lately."""

    def __init__(self, since: float) -> None:
        self.since = since
        self.failures = 0
        self.proven: set[Kind] = set()

    @property
    def is_barred(self) -> bool:
        return self.failures >= _MOST_FAILURES


def nodes_only(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Guards node endpoints."""
    _require(connection, Kind.NODE)


def operators_only(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Guards everything that is not a node's."""
    _require(connection, Kind.OPERATOR)


def nodes_and_operators(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Guards what a person may do to a node, and a node to itself."""
    _require(connection, Kind.NODE, Kind.OPERATOR)


def caller_of(connection: ASGIConnection[Any, Any, Any, Any]) -> Caller:
    """Who calls, as the gate found out."""
    caller: Caller = cast("dict[str, Any]", connection.scope)[CALLER]
    return caller


def check_speaks_for(connection: ASGIConnection[Any, Any, Any, Any], node_id: str) -> None:
    """Raise ForbiddenError if the caller's credential is another node's own."""
    caller = caller_of(connection)
    if caller.node_id is not None and caller.node_id != node_id:
        raise ForbiddenError(f"this credential is {caller.node_id}'s, and does not speak for {node_id}")


def _require(connection: ASGIConnection[Any, Any, Any, Any], *kinds: Kind) -> None:
    caller = caller_of(connection)
    if caller.kinds.intersection(kinds):
        return
    if caller.refusal is not None:
        raise ForbiddenError(caller.refusal)
    if caller.kinds and caller.actor != "local":
        raise ForbiddenError(f"this is for {' and '.join(f'{kind}s' for kind in kinds)} only")
    raise UnauthenticatedError(f"a {' or '.join(kinds)} credential is needed")


def _shown(headers: dict[str, str]) -> dict[Kind, str]:
    shown = {}
    if "x-node-auth" in headers:
        shown[Kind.NODE] = headers["x-node-auth"]
    if "x-api-key" in headers:
        shown[Kind.OPERATOR] = headers["x-api-key"]
    elif "authorization" in headers:
        scheme, _, token = headers["authorization"].partition(" ")
        shown[Kind.OPERATOR] = token.strip() if scheme.lower() == "bearer" else ""
    return shown


def _check_local(headers: dict[str, str], *, address: str, has_body: bool, method: str) -> None:
    host = headers.get("host", "")
    if not is_loopback(_hostname(f"//{host}")) or (address and not is_loopback(address)):
        raise ForbiddenError("without a secret only this machine is served: use a loopback address, or set one")
    origin = headers.get("origin")
    if origin is not None and origin.lower() not in {f"http://{host}".lower(), f"https://{host}".lower()}:
        raise ForbiddenError("without a secret no other web page is served")
    if headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        raise ForbiddenError("without a secret no other web page is served")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    safe = _SAFE_TYPES | {_RAW_TYPE} if method in _ASKED_METHODS else _SAFE_TYPES
    if method not in {"GET", "HEAD"} and (has_body or kind) and kind not in safe:
        wanted = (
            "application/json, or application/octet-stream for raw bytes" if _RAW_TYPE in safe else "application/json"
        )
        raise UnsupportedMediaTypeError(f"the body must be {wanted}")


def _hostname(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _digest(secret: bytes) -> bytes:
    """Digests have one length, so comparing them tells nothing of the secret's."""
    return hashlib.sha256(secret).digest()
