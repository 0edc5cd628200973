"""Stored bytes as answers: whole or a range, never as anything that a browser would execute."""

import re
from datetime import timedelta
from typing import Any, Final

from litestar import Request
from litestar.response import Response, Stream

from corral.model.errors import RangeInvalidError
from corral.storage import Store, serve_headers

_REDIRECT_LASTS: Final = timedelta(minutes=5)
_RANGE: Final = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))")
# What is stored under a key never changes, and nobody but the caller may see it.
_CACHE: Final = "private, max-age=31536000, immutable"
_CACHE_OF_A_NAME: Final = "private, no-cache"


async def serve_content(
    request: Request[Any, Any, Any],
    store: Store,
    key: str,
    *,
    content_type: str | None,
    filename: str,
    sha256: str | None,
    is_immutable: bool = True,
) -> Response[Any]:
    """The bytes under a key; 206 for a range, 304 where the caller has them. Raises ObjectNotFoundError, RangeInvalidError.

    `is_immutable` is false for a name, which may mean other bytes tomorrow.
    """
    etag = f'"{sha256}"' if sha256 else None
    headers = {
        **serve_headers(content_type, filename),
        "cache-control": _CACHE if is_immutable else _CACHE_OF_A_NAME,
        "accept-ranges": "bytes",
    }
    media_type = headers.pop("Content-Type").partition(";")[0]  # Litestar adds the charset of text
    if etag is not None:
        headers["etag"] = etag
        if etag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers, media_type=media_type)
    size_bytes = (await store.stat(key)).size_bytes
    wanted = _read_range(request, size_bytes=size_bytes, etag=etag)
    content = await store.get(key, **wanted)
    headers["content-length"] = str(content.length)
    if wanted:
        headers["content-range"] = f"bytes {content.start}-{content.start + content.length - 1}/{size_bytes}"
    return Stream(content, status_code=206 if wanted else 200, headers=headers, media_type=media_type)


async def redirect_to_content(store: Store, key: str) -> Response[Any] | None:
    """A redirection to where the store itself serves it for a while, or None where it does not."""
    url = await store.presign_get(key, expires_in=_REDIRECT_LASTS)
    if url is None:
        return None
    return Response(b"", status_code=307, headers={"location": url, "cache-control": "no-store"})


def _read_range(request: Request[Any, Any, Any], *, size_bytes: int, etag: str | None) -> dict[str, int]:
    """One range of bytes, or nothing for all of it: several at once, and other units, are not served (RFC 9110)."""
    matched = _RANGE.fullmatch(request.headers.get("range", ""))
    condition = request.headers.get("if-range")
    if matched is None or (condition is not None and condition != etag):
        return {}
    first, last, suffix = matched.groups()
    if suffix is not None:
        length = min(int(suffix), size_bytes)
        if length == 0:
            raise RangeInvalidError("an empty range", size_bytes=size_bytes)
        return {"start": size_bytes - length, "length": length}
    if int(first) >= size_bytes:
        raise RangeInvalidError(f"no such range in {size_bytes} bytes", size_bytes=size_bytes)
    if not last:
        return {"start": int(first), "length": size_bytes - int(first)}
    if int(last) < int(first):
        return {}
    return {"start": int(first), "length": int(last) - int(first) + 1}
