"""Take back the leases of nodes that fell silent."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_leases(engine: Engine) -> None:
    if count := await engine.upkeep.expire_leases():
        _log.warning("leases expired", count=count)
