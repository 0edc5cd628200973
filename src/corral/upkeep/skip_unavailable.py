"""End the waiting of jobs whose device is out of service."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def skip_unavailable(engine: Engine) -> None:
    if count := await engine.upkeep.skip_unavailable():
        _log.info("waiting jobs ended: their devices are out of service", count=count)
