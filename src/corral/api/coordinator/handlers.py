"""All routes of the coordinator door."""

from typing import Final

from corral.api.coordinator import agents, chains, channels, events, overview, stream, tasks

HANDLERS: Final = [
    *agents.HANDLERS,
    *chains.HANDLERS,
    *channels.HANDLERS,
    *events.HANDLERS,
    *overview.HANDLERS,
    *stream.HANDLERS,
    *tasks.HANDLERS,
]
