"""Tell webhooks of nodes that are back; that they had gone was told by the verdict."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def notify_returned_nodes(engine: Engine) -> None:
    if count := await engine.webhooks.notify_returned_nodes():
        _log.info("nodes are back", count=count)
