"""The web UI: files that were built into the package, served from memory to anybody.

They hold no data: whatever they show, they ask the API for, which asks for a credential. An address that is neither a
file nor the API's is one of the UI's own, and gets the same page, whose script knows what to show there.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec import Struct

import corral

BUILT: Final = Path(corral.__file__).parent / "ui_dist"
_API: Final = ("/api/", "/v1/", "/schema", "/health", "/ready", "/metrics")
_POLICY: Final = (
    "default-src 'none'; "
    "script-src 'self'; "
    "style-src 'self'; "
    "img-src 'self' data: blob:; "
    "font-src 'self'; "
    "connect-src 'self'; "
    "manifest-src 'self'; "
    "base-uri 'none'; "
    "form-action 'none'; "
    "frame-ancestors 'none'"
)
# Not the mimetypes module, which believes whatever this machine's files say.
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_ENCODINGS: Final = (("br", ".br"), ("gzip", ".gz"))
_MISSING: Final = (
    b"<!doctype html><html lang=en><title>Corral</title><h1>The web UI is not built</h1>"
    b"<p>Run <code>make ui</code> in the checkout and start the server anew. The API is there: "
    b"<a href=/schema/page>/schema/page</a>."
)


class Page(Struct, frozen=True, kw_only=True):
    """A file, as it is and as small as its encodings make it."""

    content_type: str
    is_immutable: bool
    bodies: dict[str, bytes]
    """By encoding; "" for none."""


class Pages:
    """Serves the UI, and passes everything else on."""

    def __init__(self, app: ASGIApp, pages: Mapping[str, Page]) -> None:
        self._app = app
        self._pages = pages
        self._index = pages.get("/index.html", _page(_MISSING, ".html", is_immutable=False))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = self._find(scope)
        if page is None:
            await self._app(scope, receive, send)
            return
        # What the gate counts requests by: every address of the UI's own would be a label of its own.
        cast("dict[str, Any]", scope)["path_template"] = "ui"
        await _send_page(page, scope, send)

    def _find(self, scope: Scope) -> Page | None:
        if scope["type"] != ScopeType.HTTP or scope["method"] not in {"GET", "HEAD"}:
            return None
        path = scope["path"]
        if path in self._pages:
            return self._pages[path]
        if path.startswith((*_API, "/assets/")):
            return None
        return self._index if path == "/" or _wants_html(scope) else None


@cache
def load_pages(directory: Path = BUILT) -> dict[str, Page]:
    """Every file of a build, by its address; nothing where none was built."""
    compressed = tuple(suffix for _, suffix in _ENCODINGS)
    return {
        f"/{path.relative_to(directory).as_posix()}": _page(
            path.read_bytes(),
            path.suffix,
            is_immutable=path.parent.name == "assets",
            encoded={
                name: beside.read_bytes()
                for name, suffix in _ENCODINGS
                if (beside := path.with_name(path.name + suffix)).exists()
            },
        )
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.suffix not in compressed and not path.name.startswith(".")
    }


def _page(body: bytes, suffix: str, *, is_immutable: bool, encoded: Mapping[str, bytes] | None = None) -> Page:
    kind = _TYPES.get(suffix, "application/octet-stream")
    return Page(content_type=kind, is_immutable=is_immutable, bodies={"": body, **(encoded or {})})


def _wants_html(scope: Scope) -> bool:
    accept = _header(scope, b"accept")
    return "text/html" in accept


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name), "")


async def _send_page(page: Page, scope: Scope, send: Send) -> None:
    accepted = {each.partition(";")[0].strip() for each in _header(scope, b"accept-encoding").split(",")}
    encoding = next((name for name, _ in _ENCODINGS if name in accepted and name in page.bodies), "")
    body = page.bodies[encoding]
    headers = [
        (b"content-type", page.content_type.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"public, max-age=31536000, immutable" if page.is_immutable else b"no-cache"),
        (b"vary", b"accept-encoding"),
        (b"content-security-policy", _POLICY.encode()),
    ]
    if encoding:
        headers.append((b"content-encoding", encoding.encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    shown = b"" if cast("dict[str, Any]", scope)["method"] == "HEAD" else body
    await send({"type": "http.response.body", "body": shown, "more_body": False})
