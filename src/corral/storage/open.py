"""From a store's URL to the store. Credentials in a URL are refused: they come from the environment only."""

from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from corral.model.errors import KeyInvalidError, StorageUrlInvalidError
from corral.storage.keys import check_prefix
from corral.storage.local import LocalStore
from corral.storage.s3 import S3Store
from corral.storage.store import Store

URL_OPTIONS: Final = frozenset({"endpoint", "region", "addressing", "conditional"})


def open_store(url: str) -> Store:
    """Open a directory (`/var/lib/corral/objects`, `file:///…`) or a bucket (`s3://bucket/prefix?endpoint=…&region=…`).

    A directory is made if it is missing; a bucket is not asked for anything yet. Raises StorageUrlInvalidError.
    """
    scheme, separator, _ = url.partition("://")
    if not separator:
        if not url:
            raise StorageUrlInvalidError("the store's path is empty")
        return LocalStore(Path(url))
    if scheme == "file":
        return _open_directory(url)
    if scheme == "s3":
        return _open_bucket(url)
    raise StorageUrlInvalidError("a store is a path, file:///path, or s3://bucket/prefix")


def _open_directory(url: str) -> LocalStore:
    parts = urlsplit(url)
    if parts.netloc or parts.query or not parts.path:
        raise StorageUrlInvalidError("a file URL is file:// and an absolute path")
    return LocalStore(Path(unquote(parts.path)))


def _open_bucket(url: str) -> S3Store:
    parts = urlsplit(url)
    if "@" in parts.netloc or not parts.netloc:
        raise StorageUrlInvalidError(
            "the store's URL needs a bucket, and no credentials: those come from AWS_… variables"
        )
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not options.keys() <= URL_OPTIONS:
        raise StorageUrlInvalidError(f"the store's URL takes {', '.join(sorted(URL_OPTIONS))} and nothing else")
    endpoint = options.get("endpoint")
    addressing = options.get("addressing", "virtual" if endpoint is None else "path")
    try:
        prefix = check_prefix(parts.path.strip("/"))
    except KeyInvalidError as error:
        raise StorageUrlInvalidError(f"the store's prefix cannot be used: {error.message}") from None
    return S3Store(
        parts.netloc,
        prefix=prefix,
        endpoint=None if endpoint is None else _checked_endpoint(endpoint),
        region=options.get("region"),
        is_virtual_hosted=_choose("addressing", addressing, yes="virtual", no="path"),
        is_conditional=_choose("conditional", options.get("conditional", "on"), yes="on", no="off"),
    )


def _choose(option: str, value: str, *, yes: str, no: str) -> bool:
    if value not in {yes, no}:
        raise StorageUrlInvalidError(f"the store's {option} is {yes} or {no}")
    return value == yes


def _checked_endpoint(endpoint: str) -> str:
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc or parts.query:
        raise StorageUrlInvalidError("the store's endpoint is an http or https URL without credentials")
    return endpoint
