"""Forget deliveries older than the retention time."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_notifications(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_notifications(engine: Engine) -> None:
        if count := await engine.webhooks.purge_notifications(older_than):
            _log.info("old notifications purged", count=count)

    return purge_notifications
