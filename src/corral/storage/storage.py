"""Everything that one server process keeps bytes in: its store, the uploads under way, the disks that they fill."""

import shutil
import time
from pathlib import Path
from typing import Final

from msgspec import Struct

from corral.config import ServerConfig
from corral.storage.files import in_thread, named_os_errors
from corral.storage.intake import Intake
from corral.storage.local import LocalStore
from corral.storage.open import open_store
from corral.storage.store import Receipt, Store
from corral.storage.uploads import Uploads

# A probe every second must not become a request to the bucket every second.
_BELIEVED_S: Final = 10.0


class Disk(Struct, frozen=True, kw_only=True):
    """How full the file system below a path is."""

    path: str
    total_bytes: int
    free_bytes: int


class Storage:
    """Opened once per process by `open_storage`."""

    def __init__(self, *, store: Store, uploads: Uploads, paths: list[Path]) -> None:
        self.store = store
        self.uploads = uploads
        self._paths = paths
        self._checked_at = -_BELIEVED_S

    async def check(self) -> None:
        """Raise StorageUnavailableError unless the store can be reached, or could be a few seconds ago."""
        if time.monotonic() - self._checked_at < _BELIEVED_S:
            return
        await self.store.check()
        self._checked_at = time.monotonic()

    async def measure(self, key: str) -> Receipt:
        """What is stored under a key, by reading all of it. Raises ObjectNotFoundError."""
        content = await self.store.get(key)
        intake = Intake(limit_bytes=content.size_bytes, size_bytes=None, sha256=None)
        async for batch in intake.batches(content):
            await in_thread(intake.hash, batch)
        return intake.receipt(key, filename=key)

    async def measure_disks(self) -> list[Disk]:
        """How full the disks are, each once, whatever number of our directories is on it."""
        return await in_thread(self._measure_disks)

    def _measure_disks(self) -> list[Disk]:
        with named_os_errors("the data directory"):
            paths = {path.stat().st_dev: path for path in reversed(self._paths)}
            return [_measure(path) for path in sorted(paths.values())]


def open_storage(config: ServerConfig) -> Storage:
    """The store that the settings name, and the data directory's uploads. Raises StorageError."""
    store = open_store(config.storage_location)
    uploads_path = config.data_path / "uploads"
    uploads = Uploads(uploads_path, store=store, limit_bytes=config.max_file_bytes)
    paths = [config.data_path, *([store.root] if isinstance(store, LocalStore) else [])]
    return Storage(store=store, uploads=uploads, paths=paths)


def _measure(path: Path) -> Disk:
    usage = shutil.disk_usage(path)
    # What is free to us and not to root alone; used is what cannot be had.
    return Disk(path=str(path), total_bytes=usage.used + usage.free, free_bytes=usage.free)
