"""Forget what became of due times older than the retention time."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_firings(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_firings(engine: Engine) -> None:
        if count := await engine.schedules.purge_firings(older_than):
            _log.info("old firings purged", count=count)

    return purge_firings
