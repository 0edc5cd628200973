"""Fail steps that no live node has been capable of for too long."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def fail_unclaimable_steps(engine: Engine) -> None:
    if count := await engine.upkeep.fail_unclaimable_steps():
        _log.warning("steps failed: no live node is capable of them", count=count)
