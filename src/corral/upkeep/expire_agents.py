"""Take back the tasks of silent agents, and let streams know who is no longer heard."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_agents(engine: Engine) -> None:
    await engine.upkeep.notice_silent_agents()
    if count := await engine.upkeep.expire_agents():
        _log.warning("tasks of silent agents taken back", count=count)
