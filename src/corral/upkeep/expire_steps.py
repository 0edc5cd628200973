"""Take back steps of distributed jobs that are past their own deadline."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_steps(engine: Engine) -> None:
    if count := await engine.upkeep.expire_steps():
        _log.warning("steps taken back: they are past their deadline", count=count)
