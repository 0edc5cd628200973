"""Go on with fan-outs and cancellations whose process died half-way."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def resume_unfinished_work(engine: Engine) -> None:
    if count := await engine.upkeep.resume_unfinished_work():
        _log.debug("fan-outs and cancellations resumed", count=count)
