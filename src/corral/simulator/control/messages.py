"""What the control port speaks: a JSON object on a line each way, matched by id. Requests are told apart by `do`."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct


class PhoneState(Struct, frozen=True, kw_only=True):
    """A phone as it is now."""

    index: int
    serial: str
    address: str
    model: str
    os_version: str
    is_up: bool
    is_authorized: bool
    has_booted: bool
    battery: int
    celsius: float
    foreground: str
    faults: list[str]


class _Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="do"):
    id: int


class ListPhones(_Request, frozen=True, kw_only=True, tag="phones"):
    """All phones; answers with PhoneState each."""


class Inject(_Request, frozen=True, kw_only=True, tag="inject"):
    """Post a fault, as a scenario would write it; answers with its name and how many phones it is meant for."""

    fault: dict[str, Any]


class Clear(_Request, frozen=True, kw_only=True, tag="clear"):
    """Take a fault away, or all of them."""

    name: str | None = None


class ReadRecord(_Request, frozen=True, kw_only=True, tag="record"):
    """Commands after a number, of one phone or of all, at most so many."""

    after: int = 0
    phone: str | None = None
    limit: int = 10_000


class ReadViolations(_Request, frozen=True, kw_only=True, tag="violations"):
    """Where two jobs met."""


class WaitFor(_Request, frozen=True, kw_only=True, tag="wait_for"):
    """Wait until a command whose line fits has started or ended, among those after a number; answers with it."""

    match: str
    state: Literal["started", "ended"] = "started"
    phone: str | None = None
    after: int = 0


Request = ListPhones | Inject | Clear | ReadRecord | ReadViolations | WaitFor


class Reply(Struct, frozen=True, kw_only=True):
    """The answer to the request of this id: a result, or what was wrong."""

    id: int
    result: Any = None
    error: str | None = None
