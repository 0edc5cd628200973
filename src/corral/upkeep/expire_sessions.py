"""End sessions that were not renewed in time."""

from corral.engine import Engine
from corral.telemetry import logger

_log = logger(__name__)


async def expire_sessions(engine: Engine) -> None:
    for session_id in await engine.reservations.list_expired():
        if await engine.reservations.expire_session(session_id):
            _log.info("a session expired", session_id=str(session_id))
