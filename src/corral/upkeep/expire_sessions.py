"""End sessions that were not renewed in time."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_sessions(engine: Engine) -> None:
    if count := await engine.upkeep.expire_sessions():
        _log.info("sessions were not renewed in time", count=count)
