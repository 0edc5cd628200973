"""Forget artifacts older than the retention time; their bytes are then for sweep_storage."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_artifacts(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_artifacts(engine: Engine) -> None:
        if count := await engine.upkeep.purge_artifacts(older_than):
            _log.info("old artifacts purged", count=count)

    return purge_artifacts
