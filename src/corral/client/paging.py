"""Lists that come in pages, as one iterator."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def each_of(ask: Callable[[Any], tuple[list[T], Any]], *, most: int | None = None) -> Iterator[T]:
    """Items page by page, `most` at most; `ask` takes the place to go on from, None at first, and returns the next."""
    place: Any = None
    told = 0
    while True:
        items, place = ask(place)
        for item in items:
            if most is not None and told >= most:
                return
            yield item
            told += 1
        if place is None or not items or (most is not None and told >= most):
            return
