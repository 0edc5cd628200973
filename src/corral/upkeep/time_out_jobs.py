"""Fail distributed jobs that have taken longer than their timeout."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def time_out_jobs(engine: Engine) -> None:
    if count := await engine.upkeep.time_out_jobs():
        _log.warning("distributed jobs failed: they took too long", count=count)
