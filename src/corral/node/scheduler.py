"""Which device starts next: a FIFO for each device, a ring of devices, and a number of slots.

Pure: it starts nothing itself and knows no time. A device is in use at most once; one that got its turn goes to the
tail of the ring; free slots are filled as long as any device is ready.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Job = TypeVar("Job")


class Scheduler(Generic[Job]):
    """The node's plan of work. Devices are named by anything that names them for good; `taken` counts slots of other work."""

    def __init__(self, slots: int, *, taken: Callable[[], int] = lambda: 0) -> None:
        self._slots = slots
        self._taken = taken
        self._ring: OrderedDict[str, deque[Job]] = OrderedDict()
        self._busy: set[str] = set()

    @property
    def free(self) -> int:
        """How many more could run now."""
        return max(0, self._slots - len(self._busy) - self._taken())

    @property
    def running(self) -> int:
        return len(self._busy)

    @property
    def waiting(self) -> int:
        return sum(map(len, self._ring.values()))

    def add(self, device: str, job: Job) -> None:
        """Put a job at the end of its device's queue; a device that had none joins the tail of the ring."""
        self._ring.setdefault(device, deque()).append(job)

    def start(self, is_ready: Callable[[str, Job], bool] = lambda _device, _job: True) -> list[tuple[str, Job]]:
        """What starts now, of devices that are ready for their next job. Each must be followed by `finish` of its device."""
        started: list[tuple[str, Job]] = []
        for device in list(self._ring):
            if not self.free:
                break
            queue = self._ring[device]
            if device in self._busy or not is_ready(device, queue[0]):
                continue
            started.append((device, queue.popleft()))
            self._busy.add(device)
            if queue:
                self._ring.move_to_end(device)
            else:
                del self._ring[device]
        return started

    def finish(self, device: str) -> None:
        """The device's job ended: its slot and the device are free."""
        self._busy.remove(device)

    def withdraw(self, device: str, job: Job) -> bool:
        """Take back a job that has not started; says whether it was there."""
        queue = self._ring.get(device)
        if queue is None or job not in queue:
            return False
        queue.remove(job)
        if not queue:
            del self._ring[device]
        return True

    def list_waiting(self) -> Iterator[tuple[str, Job]]:
        """What has not started, in the order of the ring."""
        for device, queue in list(self._ring.items()):
            for job in list(queue):
                yield device, job
