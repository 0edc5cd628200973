"""What the spool keeps, as plain data."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

EventKind = Literal["state", "log", "artifact", "scan"]
"""What becomes of an event when there is no room: logs go first, then artifacts; the others stay."""


class SpooledEvent(Struct, frozen=True, kw_only=True):
    """An event as it will be sent. `event_id` was made when it happened, and never changes."""

    event_id: str
    kind: EventKind
    body: bytes
    job_id: str | None = None
    lease_token: str | None = None
    ends_job: bool = False
    """Whether the server's answer to it ends the node's part in the job, or in the step whose lease it is."""


class SpooledFile(Struct, frozen=True, kw_only=True):
    """A file on its way to the server, under the key that it got when it was made."""

    key: str
    name: str
    """Its name in the spool's own directory."""

    job_id: str
    lease_token: str
    sha256: str
    size_bytes: int
    content_type: str


class Waiting(Struct, frozen=True):
    """An event with its place in the queue."""

    number: int
    event: SpooledEvent


class Dropped(Struct, frozen=True):
    """What was given up to make room."""

    log_events: int = 0
    files: tuple[SpooledFile, ...] = ()
