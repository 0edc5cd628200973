"""Close chains of which nothing was left to do for as long as runs are kept: then they are purged as runs are."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def close_idle_chains(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def close_idle_chains(engine: Engine) -> None:
        if count := await engine.upkeep.close_idle_chains(older_than):
            _log.info("idle chains closed", count=count)

    return close_idle_chains
