"""Changes as server-sent events: one for each kind of object, with all that changed, as it is now.

The last event of a batch alone carries the id, the place behind the whole batch: whoever lost the connection in its
middle is told all of it again.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from corral.engine import Engine
from corral.model.coordinator import Change, Place, Topic

_PLACE: Final = re.compile(r"(\d{1,18})-(\d{1,18})")
_RETRY_MS: Final = 2000
_encode = msgspec.json.Encoder().encode


def write_place(place: Place) -> str:
    """A place as an event's id."""
    return f"{place.written_by}-{place.change_id}"


def read_place(text: str) -> Place | None:
    """The place that an id names, if it is one of ours."""
    matched = _PLACE.fullmatch(text)
    return None if matched is None else Place(int(matched[1]), int(matched[2]))


def frame_update(place: Place, *, reason: str) -> bytes:
    """Tells a listener to read everything anew, and where it stands then."""
    return f"retry: {_RETRY_MS}\n".encode() + _frame("update", {"reason": reason}, place=place)


async def frame_changes(engine: Engine, changes: Sequence[Change]) -> bytes:
    """What these changes come to, with their objects as they are now. Raises DatabaseUnavailableError."""
    ids = {topic: list(dict.fromkeys(c.object_id for c in changes if c.topic is topic)) for topic in Topic}
    tasks = await engine.tasks.find(ids[Topic.TASKS])
    # A chain's state and its owner follow its tasks.
    chain_ids = list(dict.fromkeys([*ids[Topic.CHAINS], *(str(task.chain_id) for task in tasks)]))
    found: dict[Topic, Sequence[Any]] = {
        Topic.CHANNELS: await engine.channels.find(ids[Topic.CHANNELS]) if ids[Topic.CHANNELS] else [],
        Topic.CHAINS: await engine.chains.find(chain_ids) if chain_ids else [],
        Topic.TASKS: tasks,
        Topic.AGENTS: await engine.agents.find(ids[Topic.AGENTS]) if ids[Topic.AGENTS] else [],
        Topic.EVENTS: await engine.agents.find_events(ids[Topic.EVENTS]) if ids[Topic.EVENTS] else [],
    }
    payloads: dict[Topic, dict[str, Any]] = {}
    for topic, objects in found.items():
        present = {str(each.id) for each in objects}
        gone = [object_id for object_id in ids[topic] if object_id not in present]
        if objects or gone:
            payloads[topic] = {topic: objects, "deleted": gone} if gone else {topic: objects}
    last = changes[-1].place
    topics = list(payloads)
    return b"".join(_frame(topic, payloads[topic], place=last if topic is topics[-1] else None) for topic in topics)


def _frame(kind: str, payload: dict[str, Any], *, place: Place | None) -> bytes:
    data = _encode({"type": kind, "time": datetime.now(UTC), "payload": payload})
    mark = b"" if place is None else f"id: {write_place(place)}\n".encode()
    return mark + b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"
