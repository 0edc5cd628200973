"""A request before it is let in: where it comes from, and whether a web page of somebody else could have sent it."""

from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Final
from urllib.parse import parse_qs, urlsplit

from litestar.enums import ScopeType
from litestar.types import HTTPScope, WebSocketScope
from msgspec import Struct

from corral.api.doors import WEBSOCKET
from corral.config import is_loopback
from corral.model.errors import ForbiddenError, UnsupportedMediaTypeError

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_SAFE_TYPES: Final = frozenset({"application/json", "application/yaml"})
# Raw bytes come by methods alone that a browser sends nowhere else without asking there first, which is refused.
_RAW_TYPE: Final = "application/octet-stream"
_ASKED_METHODS: Final = frozenset({"PUT", "PATCH"})
_STREAM: Final = ("GET", "/v1/stream")


class Knock(Struct, frozen=True, kw_only=True):
    """What is asked before anything else is: the headers by their lower-case names, and the caller's address."""

    headers: dict[str, str]
    address: str
    method: str
    """Of a WebSocket, WEBSOCKET: what it may do is not known beforehand, so it counts as what changes something."""

    is_https: bool = False
    query_token: str | None = None
    """A credential in the address, which is read of a stream alone: a browser's EventSource can set no header."""

    @property
    def changes_state(self) -> bool:
        return self.method not in _SAFE_METHODS

    @property
    def has_body(self) -> bool:
        return self.headers.get("content-length", "0") != "0" or "transfer-encoding" in self.headers


def read_knock(scope: HTTPScope | WebSocketScope, *, trusted_proxy: IPv4Network | IPv6Network | None) -> Knock:
    """The request as it came. What a proxy says of its caller is believed of the trusted one alone."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    client = scope.get("client")
    address, is_https = client[0] if client else "", scope.get("scheme") in {"https", "wss"}
    method = scope["method"] if scope["type"] == ScopeType.HTTP else WEBSOCKET
    if trusted_proxy is not None and _is_in(address, trusted_proxy):
        # The last one is the one that our proxy saw; whatever stands before it anybody may have written.
        address = headers.get("x-forwarded-for", address).rpartition(",")[2].strip()
        is_https = headers.get("x-forwarded-proto", "").lower() == "https"
    return Knock(
        headers=headers,
        address=address,
        method=method,
        is_https=is_https,
        query_token=_read_query_token(scope) if (method, scope["path"]) == _STREAM else None,
    )


def check_local(knock: Knock) -> None:
    """Let in this machine alone, and no web page but our own: what stands in for a secret where there is none.

    Raises ForbiddenError, and UnsupportedMediaTypeError for a body of a type that any page may send.
    """
    host = knock.headers.get("host", "")
    if not is_loopback(_hostname(host)) or (knock.address and not is_loopback(knock.address)):
        raise ForbiddenError("without a secret only this machine is served: use a loopback address, or set one")
    if is_cross_origin(knock):
        raise ForbiddenError("without a secret no other web page is served")
    kind = knock.headers.get("content-type", "").partition(";")[0].strip().lower()
    safe = _SAFE_TYPES | {_RAW_TYPE} if knock.method in _ASKED_METHODS else _SAFE_TYPES
    if knock.method not in {"GET", "HEAD"} and (knock.has_body or kind) and kind not in safe:
        wanted = (
            "application/json, or application/octet-stream for raw bytes" if _RAW_TYPE in safe else "application/json"
        )
        raise UnsupportedMediaTypeError(f"the body must be {wanted}")


def check_same_origin(knock: Knock) -> None:
    """Let a browser's cookie change something only where the browser says that the page is ours. Raises ForbiddenError."""
    if knock.changes_state and (
        is_cross_origin(knock) or not ("origin" in knock.headers or "sec-fetch-site" in knock.headers)
    ):
        raise ForbiddenError("a session changes things only from the server's own pages")


def is_cross_origin(knock: Knock) -> bool:
    """Whether a browser says that another page than ours asks; programs say nothing."""
    if knock.headers.get("sec-fetch-site", "none") not in {"none", "same-origin"}:
        return True
    origin, host = knock.headers.get("origin"), knock.headers.get("host", "")
    return origin is not None and origin.lower() not in {f"http://{host}".lower(), f"https://{host}".lower()}


def _read_query_token(scope: HTTPScope | WebSocketScope) -> str | None:
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return query["token"][-1] if "token" in query else None


def _is_in(address: str, network: IPv4Network | IPv6Network) -> bool:
    try:
        return ip_address(address) in network
    except ValueError:
        return False


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
