"""Delete from the store what nobody speaks of: crashed writers' leftovers, idle uploads, purged artifacts, deleted files.

The books are the list of what to look for, and forget an object only after it was deleted: a crash loses nothing.
"""

from datetime import timedelta
from typing import Final

from corral.engine import Engine
from corral.storage import Storage, file_key
from corral.telemetry import logger
from corral.upkeep.loop import Act

_IDLE: Final = timedelta(days=1)
_BATCH: Final = 500
_log = logger(__name__)


def sweep_storage(storage: Storage) -> Act:
    """The act, for a store."""

    async def sweep_storage(engine: Engine) -> None:
        swept = await storage.store.sweep(older_than=_IDLE)
        expired = await storage.uploads.expire(idle_for=_IDLE)
        artifacts = await sweep_artifacts(engine, storage)
        files = await sweep_files(engine, storage)
        if swept or expired or artifacts or files:
            _log.info("storage swept", leftovers=swept, idle_uploads=expired, artifacts=artifacts, files=files)

    return sweep_storage


async def sweep_artifacts(engine: Engine, storage: Storage) -> int:
    """Delete the bytes of artifacts that were purged or never reported; say how many."""
    swept, after = 0, ""
    while keys := await engine.artifacts.list_leftover_artifacts(after=after, limit=_BATCH):
        for key in keys:
            await storage.store.delete(key)
        await engine.artifacts.forget_artifacts(keys)
        swept, after = swept + len(keys), keys[-1]
    return swept


async def sweep_files(engine: Engine, storage: Storage) -> int:
    """Finish deletions of input files that were not, and delete what an unfinished upload stored; say how many."""
    condemned = await engine.files.condemn_files(limit=_BATCH)
    for sha256 in condemned:
        await storage.store.delete(file_key(sha256))
        await engine.files.forget_file(sha256)
    return len(condemned)
