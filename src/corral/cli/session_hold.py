"""Hold a phone in the foreground: wait for it, renew the session, and let go when asked to or when it ends."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Final
from uuid import UUID

from corral.client import Client
from corral.model.errors import ConflictError, CorralError, NotFoundError, ServerUnavailableError
from corral.model.sessions import DeviceSession, SessionState

Use = Callable[[DeviceSession], AbstractAsyncContextManager[None]]
"""What is done with the phone while it is held: entered when it was had, left before it is released."""

_LOOK_EVERY_S: Final = 1.0
_RENEWALS_PER_TTL: Final = 3


async def hold_session(client: Client, session: DeviceSession, *, stopping: asyncio.Event, use: Use) -> DeviceSession:
    """Until told to stop, and then released, or until it ended by itself; how it ended."""
    session_id = session.session_id
    renewing = asyncio.create_task(_renew(client, session))
    try:
        session = await _look_while(SessionState.WAITING, client, session_id, stopping)
        if session.state is SessionState.ACTIVE and not stopping.is_set():
            async with use(session):
                session = await _look_while(SessionState.ACTIVE, client, session_id, stopping)
    finally:
        renewing.cancel()
        with suppress(asyncio.CancelledError):
            await renewing
        if session.state is not SessionState.ENDED:
            session = await asyncio.shield(asyncio.to_thread(client.sessions.release, session_id))
    return session


async def _look_while(state: SessionState, client: Client, session_id: UUID, stopping: asyncio.Event) -> DeviceSession:
    """The session as soon as it is in another state, or we are told to stop. A server that is away is asked again."""
    while True:
        with suppress(ServerUnavailableError):
            session = await asyncio.to_thread(client.sessions.get, session_id)
            if session.state is not state or stopping.is_set():
                return session
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_EVERY_S):
                await stopping.wait()


async def _renew(client: Client, session: DeviceSession) -> None:
    """For ever, three times as often as needed; once it has ended, whoever looks finds out why."""
    while True:
        await asyncio.sleep(session.ttl_s / _RENEWALS_PER_TTL)
        try:
            await asyncio.to_thread(client.sessions.renew, session.session_id)
        except (ConflictError, NotFoundError):
            return
        except CorralError:  # away or struggling: there is time for another try
            await asyncio.sleep(_LOOK_EVERY_S)
