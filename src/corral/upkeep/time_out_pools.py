"""Fail jobs that found no device of their pool in time."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def time_out_pools(engine: Engine) -> None:
    if count := await engine.upkeep.time_out_pools():
        _log.warning("jobs found no device of their pool in time", count=count)
