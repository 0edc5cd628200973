"""Wrong credentials, counted by address: whoever guesses is soon not even looked at."""

import time
from collections import OrderedDict
from typing import Final

from corral.model.errors import TooManyFailuresError

_WINDOW_S: Final = 60.0
_MOST_ADDRESSES: Final = 10_000
_MOST_PROVEN: Final = 1_000


class Failures:
    """What addresses have shown lately, at this process."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._records: OrderedDict[str, _Record] = OrderedDict()

    def check(self, address: str, digest: bytes) -> None:
        """Raise TooManyFailuresError where the address failed too often, unless this credential was right before.

        A neighbour behind the same address must not lock out those who have shown what they know, and learns nothing
        from it: any other guess is refused unseen.
        """
        record = self._record(address)
        if record.failures >= self._limit and digest not in record.proven:
            raise TooManyFailuresError("too many wrong credentials from this address; try again in a minute")

    def note_right(self, address: str, digest: bytes) -> None:
        record = self._record(address)
        if len(record.proven) < _MOST_PROVEN:
            record.proven.add(digest)

    def note_wrong(self, address: str, digest: bytes) -> None:
        record = self._record(address)
        record.failures += 1
        record.proven.discard(digest)

    def _record(self, address: str) -> "_Record":
        now = time.monotonic()
        record = self._records.get(address)
        if record is None:
            record = self._records[address] = _Record(now)
            if len(self._records) > _MOST_ADDRESSES:
                self._records.popitem(last=False)
        elif record.since < now - _WINDOW_S:
            record.since, record.failures = now, 0
            self._records.move_to_end(address)
        return record


class _Record:
    def __init__(self, since: float) -> None:
        self.since = since
        self.failures = 0
        self.proven: set[bytes] = set()
