"""The right to touch a phone, which may end while a request waits for its turn: asked last of all, just before the phone is."""

from __future__ import annotations

from collections.abc import Callable

from corral.model.errors import TouchForbiddenError

MayTouch = Callable[[], bool]


def always() -> bool:
    """The right of whoever needs none: to look at a phone."""
    return True


def check_touch(may_touch: MayTouch) -> None:
    """Raises TouchForbiddenError."""
    if not may_touch():
        raise TouchForbiddenError("the lease has ended: the phone may not be touched")
