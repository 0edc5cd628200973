"""What the heartbeat's thread may know of the agent, as values that are swapped whole: nothing is shared that can change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from uuid import UUID

from msgspec import Struct

from corral.node.clock import Clock
from corral.wire.nodes import Beat, DeviceReport

STALLED_S: Final = 30.0
"""An agent whose loop has not ticked for so long no longer renews what it holds (rule 13)."""


class News(Struct, frozen=True):
    """What the devices have to say. `is_complete` makes those that are left out gone."""

    devices: tuple[DeviceReport, ...] = ()
    is_complete: bool = False


class Pulse:
    """Written by the loop, read by the heartbeat."""

    def __init__(self, *, node_id: str, clock: Clock, held: Callable[[], frozenset[UUID]]) -> None:
        self._node_id = node_id
        self._clock = clock
        self._held = held
        self._ticked_at = clock()
        self.epoch = 0
        self.news = News()

    @property
    def is_stalled(self) -> bool:
        return self._clock() - self._ticked_at > STALLED_S

    def tick(self) -> None:
        """The loop turns."""
        self._ticked_at = self._clock()

    def beat(self) -> Beat:
        news = self.news
        return Beat(
            node_id=self._node_id,
            epoch=self.epoch,
            held=sorted(self._held()),
            devices=list(news.devices),
            is_complete=news.is_complete,
        )
