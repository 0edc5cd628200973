"""Forget what agents told, and agents that were not heard, longer ago than the retention time."""

from datetime import timedelta

from corral.engine import Engine
from corral.telemetry import logger
from corral.upkeep.loop import Act

_log = logger(__name__)


def purge_agents(older_than: timedelta) -> Act:
    """The act, for a retention time."""

    async def purge_agents(engine: Engine) -> None:
        events = await engine.upkeep.purge_agent_events(older_than)
        agents = await engine.upkeep.purge_agents(older_than)
        if events or agents:
            _log.info("old agents and their events purged", agents=agents, events=events)

    return purge_agents
