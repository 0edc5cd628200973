"""Note that upkeep is alive, and say when verdicts are suspended because too many nodes fell silent at once."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def tick_upkeep(engine: Engine) -> None:
    tick = await engine.upkeep.tick_upkeep()
    if tick.silence_since is not None:
        _log.warning("verdicts are suspended: many nodes are silent", silent_nodes=tick.silent_nodes)
