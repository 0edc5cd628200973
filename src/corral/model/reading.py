"""JSON that comes from elsewhere, whose sender may be broken or hostile."""

from types import UnionType
from typing import Any, TypeVar, overload

import msgspec

T = TypeVar("T")


@overload
def read_json(text: str | bytes, kind: type[T]) -> T: ...


@overload
def read_json(text: str | bytes, kind: UnionType = ...) -> Any: ...  # noqa: ANN401 - whatever JSON holds


def read_json(text: str | bytes, kind: Any = Any) -> Any:
    """What the text says. Raises msgspec.DecodeError, whatever is wrong with it.

    msgspec itself lets the errors of Python's decoder and of its stack through.
    """
    try:
        return msgspec.json.decode(text, type=kind)
    except UnicodeError as error:
        raise msgspec.DecodeError(f"JSON is malformed: it is not UTF-8 ({error})") from error
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is malformed: it is nested too deeply") from error
