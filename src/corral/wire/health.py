"""Whether a server lives."""

from typing import Literal

from msgspec import Struct


class Liveness(Struct, frozen=True):
    """The server answers."""

    status: Literal["ok"]
    version: str
    ok: Literal[True] = True
