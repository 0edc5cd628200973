"""Reading what callers of the coordinator door send: unknown fields are ignored, empty ones were not given."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from litestar import Request

from corral.model.errors import BadJsonError, InvalidRequestError, NotFoundError
from corral.model.reading import read_json

T = TypeVar("T")

_PATH: Final = re.compile(r"`\$\.?([^`]*)`")
_MISSING: Final = re.compile(r"missing required field `([^`]*)`")


async def read_body(
    request: Request[Any, Any, Any], kind: type[T], *, older: Mapping[str, str] = MappingProxyType({})
) -> T:
    """The body, whatever its type is called; `older` names of fields count where the newer one was not given.

    Raises BadJsonError, and InvalidRequestError with the path.
    """
    try:
        told = read_json(await request.body())
    except msgspec.DecodeError as error:
        raise BadJsonError(f"the body is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise BadJsonError("the body must be a JSON object")
    given = {name: value for name, value in told.items() if value is not None and value != ""}
    for name, newer in older.items():
        if name in given:
            given.setdefault(newer, given[name])
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise InvalidRequestError(str(error), path=_path_in(str(error))) from None


def read_id(text: str, *, noun: str) -> UUID:
    """An id that somebody was told once. Raises NotFoundError for any other text: nothing has it."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFoundError(f"no {noun} {text}", path=f"{noun}_id") from None


def read_filter(text: str | None) -> UUID | None:
    """The id that a list is narrowed by, if one is given; a text that is no id is nobody's, and finds nothing."""
    if not text:
        return None
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)


def _path_in(message: str) -> str | None:
    missing, path = _MISSING.search(message), _PATH.search(message)
    return missing[1] if missing else path[1] if path else None
