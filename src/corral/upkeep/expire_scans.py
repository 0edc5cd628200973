"""Fail scans that did not finish in time."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_scans(engine: Engine) -> None:
    if count := await engine.upkeep.expire_scans():
        _log.warning("scans did not finish in time", count=count)
