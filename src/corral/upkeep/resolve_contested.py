"""Move devices that another node sees now, once nobody drives them any more."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def resolve_contested(engine: Engine) -> None:
    if count := await engine.upkeep.resolve_contested():
        _log.info("contested devices moved", count=count)
