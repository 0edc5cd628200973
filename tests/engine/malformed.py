"""Events of the wrong shape, made from a good step_finished: each with what must become of it.

`invalid` is told apart as it is read. `poison` fails the transaction that reads it, `spoilt` the one that applies it; the
gateway then applies each event of the batch alone, so that the good ones still count.
"""

from collections.abc import Callable
from typing import Final

from corral.model.records import Json

Spoil = Callable[[Json], Json]


def _with(**fields: object) -> Spoil:
    return lambda event: {**event, **fields}


def _without(name: str) -> Spoil:
    return lambda event: {key: value for key, value in event.items() if key != name}


MALFORMED: Final[dict[str, tuple[str, Spoil]]] = {
    "no event_id": ("invalid", _without("event_id")),
    "bad event_id": ("invalid", _with(event_id="not-a-uuid")),
    "number as event_id": ("invalid", _with(event_id=7)),
    "unknown type": ("invalid", _with(type="job_exploded")),
    "list as type": ("invalid", _with(type=["job_started"])),
    "no type": ("invalid", _without("type")),
    "bad job_id": ("invalid", _with(job_id="1; drop table corral.jobs")),
    "object as job_id": ("invalid", _with(job_id={"id": 1})),
    "no lease_token": ("invalid", _without("lease_token")),
    "null lease_token": ("invalid", _with(lease_token=None)),
    "no seq": ("invalid", _without("seq")),
    "text as seq": ("invalid", _with(seq="first")),
    "negative seq": ("invalid", _with(seq=-1)),
    "huge seq": ("invalid", _with(seq=10**30)),
    "fraction as seq": ("invalid", _with(seq=1.5)),
    "no step": ("invalid", _without("step")),
    "unknown status": ("invalid", _with(status="tired")),
    "unknown outcome": ("invalid", _with(type="job_finished", outcome="tired")),
    "text as steps": ("invalid", _with(type="job_finished", outcome="failed", steps="all")),
    "steps without a status": (
        "invalid",
        _with(type="job_finished", outcome="failed", steps=[{"step": "a"}]),
    ),
    "text as lines": ("invalid", _with(type="log", lines="hello")),
    "lines without a message": ("invalid", _with(type="log", lines=[{"level": "info"}])),
    "unknown kind": ("invalid", _with(type="artifact_created", key="k", kind="smell")),
    "bad sha256": ("invalid", _with(type="artifact_created", key="k", sha256="00")),
    "words as at": ("invalid", _with(at="yesterday")),
    "huge position": ("invalid", _with(position=10**12)),
    "text as probability": ("invalid", _with(probability="often")),
    "a day that is not": ("poison", _with(at="2026-02-31T00:00:00Z")),
    "probability beyond 1": ("spoilt", _with(probability=7)),
    "huge draw": ("spoilt", _with(draw=10**400)),
    "nameless final step": (
        "spoilt",
        _with(type="job_finished", outcome="failed", steps=[{"step": None, "status": "failed"}]),
    ),
    "null message": ("spoilt", _with(type="log", lines=[{"message": None}])),
}
