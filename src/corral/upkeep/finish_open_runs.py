"""End every run whose jobs have all ended."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def finish_open_runs(engine: Engine) -> None:
    if count := await engine.upkeep.finish_open_runs():
        _log.info("runs ended", count=count)
