"""Forget runs that ended longer ago than the retention time, with their jobs, logs and artifacts."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_runs(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_runs(engine: Engine) -> None:
        if count := await engine.upkeep.purge_runs(older_than):
            _log.info("old runs purged", jobs=count)

    return purge_runs
