"""What the server's refusals mean to a node."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import msgspec

from corral.model.errors import RequestRefusedError, ServerUnavailableError, StaleEpochError, UnknownNodeError
from corral.model.reading import read_json

_RETRIED: Final = frozenset({408, 425, 429})
_REDIRECTED: Final = range(300, 400)
_SERVER_FAULT: Final = 500


class Fault(msgspec.Struct, frozen=True):
    """What the server says is wrong."""

    code: str = "unknown"
    message: str = ""
    path: str | None = None


class Problem(msgspec.Struct, frozen=True):
    error: Fault


def raise_for_problem(status: int, body: bytes, *, url: str = "the server") -> None:
    """Raise what a status that is not a success means to a node. `url` is who answered, for people."""
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return
    try:
        fault = read_json(body, Problem).error
    except msgspec.DecodeError:  # a proxy's page, perhaps
        redirected = ": redirections are not followed" if status in _REDIRECTED else ""
        fault = Fault(message=f"{url} answered {status}{redirected}")
    if status >= _SERVER_FAULT or status in _RETRIED:
        raise ServerUnavailableError(f"{status} {fault.code}: {fault.message}")
    if fault.code == StaleEpochError.code:
        raise StaleEpochError(fault.message)
    if fault.code == UnknownNodeError.code:
        raise UnknownNodeError(fault.message)
    raise RequestRefusedError(fault.message, status=status, code=fault.code, path=fault.path)
