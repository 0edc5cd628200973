"""Sessions, as operators ask for and use them."""

from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta, Struct, field

from corral.model.errors import InvalidRequestError
from corral.model.sessions import DeviceSession

LONGEST_WAIT_S: Final = 30.0
MOST_PIXELS: Final = 20_000

Ttl = Annotated[float, Meta(ge=10, le=43_200)]
Purpose = Annotated[str, Meta(min_length=1, max_length=200)]
Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=100)]
Pixel = Annotated[int, Meta(ge=0, le=MOST_PIXELS)]


class SessionRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hold any phone that has these tags, or the one that is named by its number, its serial or its id.

    `wait_s` is how long the answer waits for the phone; a session that has none by then goes on waiting.
    """

    tags: Tags = field(default_factory=list)
    device: Annotated[str, Meta(min_length=1, max_length=128)] | None = None
    ttl_s: Ttl = 600.0
    purpose: Purpose | None = None
    wait_s: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = 0.0


class Renewal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Go on for as long as before, or for so many seconds, from now."""

    ttl_s: Ttl | None = None


class Release(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why: needed where another than the caller holds the phone."""

    reason: Annotated[str, Meta(max_length=2_000)] | None = None


class SessionPage(Struct, frozen=True, kw_only=True):
    """Sessions, newest first; `next` is the `before` of the following page, null on the last."""

    sessions: list[DeviceSession]
    next: UUID | None


class Touch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What to do to the screen, in the phone's own pixels.

    A tap has `x` and `y`; a swipe also `to_x`, `to_y` and perhaps `duration_ms`; text has `text`; a key has `key`, its name
    without KEYCODE_ (HOME, BACK, ENTER) or its number.
    """

    kind: Literal["tap", "swipe", "text", "key"]
    x: Pixel | None = None
    y: Pixel | None = None
    to_x: Pixel | None = None
    to_y: Pixel | None = None
    duration_ms: Annotated[int, Meta(ge=1, le=10_000)] | None = None
    text: Annotated[str, Meta(min_length=1, max_length=1_000)] | None = None
    key: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_]{1,60}$")] | None = None


_NEEDED: Final = {"tap": {"x", "y"}, "swipe": {"x", "y", "to_x", "to_y"}, "text": {"text"}, "key": {"key"}}
_ALLOWED: Final = {**_NEEDED, "swipe": _NEEDED["swipe"] | {"duration_ms"}}


def check_touch(touch: Touch) -> None:
    """Raise InvalidRequestError, with the field, where one is missing or does not belong to this kind."""
    for name in touch.__struct_fields__[1:]:
        is_given = getattr(touch, name) is not None
        if name in _NEEDED[touch.kind] and not is_given:
            raise InvalidRequestError(f"a {touch.kind} needs {name}", path=name)
        if is_given and name not in _ALLOWED[touch.kind]:
            raise InvalidRequestError(f"a {touch.kind} has no {name}", path=name)
