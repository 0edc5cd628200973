"""JSON and numbers that come from elsewhere, whose sender may be broken or hostile."""

import re
from types import UnionType
from typing import Any, Final, TypeVar, overload

import msgspec

T = TypeVar("T")

MOST_DIGITS: Final = 18
"""What is counted has no more, and such a number fits 64 bits. int() itself refuses beyond 4,300 with a ValueError."""
_NUMBER: Final = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}")


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


def read_number(text: str) -> int | None:
    """A whole number of ASCII digits, maybe after a minus; None for all else, and for more digits than MOST_DIGITS."""
    return int(text) if _NUMBER.fullmatch(text) else None


def read_count(text: str) -> int | None:
    """The same without a sign."""
    return None if text.startswith("-") else read_number(text)
