"""Say that nodes have news (work, or a cancel), so that their waiting pulls look at once.

Best effort, after the commit: whoever waits also polls. The first is sent at once, and those of the few milliseconds after it
as one NOTIFY, because each takes a lock that all commits of the cluster share.
"""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Collection
from typing import Final

from corral.engine.database import Database
from corral.model.errors import CorralError

CHANNEL: Final = "corral"
EVERYBODY: Final = "*"
STEPS: Final = "!steps"  # as below: steps may have become ready
WORK: Final = "+"  # before a node's name: a phone is free, which is no news to a pull that wants nothing
CREDENTIALS: Final = "!credentials"  # said in the place of a node, whose name never begins so: look before you trust
COORDINATOR: Final = "!coordinator"  # likewise: the stream of the coordinator door has news
_PAUSE_S: Final = 0.003  # after each NOTIFY, however much is announced
_LONGEST_PAYLOAD: Final = 7900  # PostgreSQL refuses 8000 bytes
# Nothing is lost with an announcement, so its commit need not wait for the disk: it holds a lock that others wait for.
_NOTIFY: Final = "select pg_notify($1, $2), set_config('synchronous_commit', 'off', true)"

Hearer = Callable[[Collection[str]], None]


class Announcements:
    """What this process tells the others, and itself at once."""

    def __init__(self, database: Database) -> None:
        self.sender = secrets.token_hex(4)
        self._database = database
        self._hearers: list[Hearer] = []
        self._nodes: set[str] = set()
        self._sending: asyncio.Task[None] | None = None

    def subscribe(self, hearer: Hearer) -> None:
        """Call the hearer with the node ids of every announcement made in this process."""
        self._hearers.append(hearer)

    def announce(self, node_ids: Collection[str]) -> None:
        """Say that these nodes have news; EVERYBODY stands for all, and WORK before a name for work alone."""
        if not node_ids:
            return
        for hearer in self._hearers:
            hearer(node_ids)
        self._nodes.update(node_ids)
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._send())

    async def flush(self) -> None:
        """Return when everything announced has been sent, or could not be."""
        while self._sending is not None:
            await asyncio.wait({self._sending})

    async def _send(self) -> None:
        try:
            while self._nodes:
                nodes, self._nodes = self._nodes, set()
                with contextlib.suppress(CorralError):
                    await self._database.fetch_value(_NOTIFY, CHANNEL, encode(self.sender, nodes))
                await asyncio.sleep(_PAUSE_S)
        finally:
            self._sending = None


def encode(sender: str, node_ids: Collection[str]) -> str:
    """An announcement as a NOTIFY's payload; one that would be too long speaks to everybody."""
    names = ",".join(sorted(node_ids))
    if EVERYBODY in node_ids or len(names) > _LONGEST_PAYLOAD:
        names = EVERYBODY
    return f"{sender}:{names}"


def decode(payload: str) -> tuple[str, list[str]]:
    """Who announced, and for which nodes."""
    sender, _, names = payload.partition(":")
    return sender, [name for name in names.split(",") if name]
