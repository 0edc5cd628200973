"""Forget samples of devices, and changes of their health, older than the retention time."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_samples(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_samples(engine: Engine) -> None:
        if count := await engine.upkeep.purge_samples(older_than):
            _log.info("old samples purged", count=count)

    return purge_samples
