"""Send the spool's files to the server, oldest first. Only then may anybody hear of an artifact.

What the server refuses for good is given up, with a line in the job's log. A job's end does not wait for its files:
they count for a day after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx
import msgspec

from corral.model.errors import CorralError, RequestRefusedError, ServerUnavailableError, UploadFailedError
from corral.node.backoff import Backoff
from corral.node.events import log_event, log_line
from corral.node.link import Link, decode
from corral.node.spool.records import SpooledFile
from corral.node.spool.spool import Spool
from corral.telemetry import logger
from corral.wire.artifacts import (
    CONTENT_SHA256,
    JOB_ID,
    LEASE_TOKEN,
    ArtifactAnnouncement,
    ArtifactUploadReply,
    DirectTarget,
)

_AT_ONCE: Final = 4
_PIECE_BYTES: Final = 1 << 18
_LONGEST_S: Final = 600.0
_CREDENTIAL: Final = 401
_JSON: Final = {"content-type": "application/json"}
_log = logger(__name__)


class UploadFiles:
    """The loop that sends files. `stored` lets a step wait for its own."""

    def __init__(self, spool: Spool, link: Link) -> None:
        self._spool = spool
        self._link = link
        self._backoff = Backoff()
        self._turn = asyncio.Lock()
        self._asks_for_direct = True
        self._hopes: dict[str, asyncio.Future[None]] = {}

    def stored(self, key: str) -> asyncio.Future[None]:
        """Done when the file is on the server; raises UploadFailedError when it never will be. Ask before queueing it."""
        return self._hopes.setdefault(key, asyncio.get_running_loop().create_future())

    async def run(self) -> None:
        """For ever."""
        while True:
            await self.flush()
            await self._spool.files_changed.wait()

    async def flush(self) -> None:
        """Return once no file waits; ask again for as long as the server is away."""
        async with self._turn:
            while True:
                self._spool.files_changed.clear()
                files = await self._spool.act(lambda store: store.next_files(most=_AT_ONCE))
                if not files:
                    return
                results = await asyncio.gather(*(self._upload(file) for file in files))
                if all(results):
                    self._backoff.reset()
                else:
                    await asyncio.sleep(self._backoff.next_s())

    async def _upload(self, file: SpooledFile) -> bool:
        """Whether the file is done with, one way or the other."""
        try:
            await self._send(file)
        except ServerUnavailableError as error:
            if self._backoff.failures == 0:
                _log.warning("artifacts wait for the server", why=error.message)
            return False
        except FileNotFoundError:
            await self._give_up(file, "its copy in the spool is gone")
        except CorralError as error:
            await self._give_up(file, error.message)
        else:
            await self._spool.act(lambda store: store.release(file))
            self._spool.changed.set()
            if (hope := self._hopes.pop(file.key, None)) is not None and not hope.done():
                hope.set_result(None)
        return True

    async def _send(self, file: SpooledFile) -> None:
        try:
            if self._asks_for_direct and (target := await self._ask_for_direct(file)) is not None:
                await self._send_directly(file, target)
            else:
                await self._send_to_server(file)
        except RequestRefusedError as error:
            if error.status == _CREDENTIAL:  # an operator can mend that
                raise ServerUnavailableError(error.message) from error
            raise

    async def _ask_for_direct(self, file: SpooledFile) -> DirectTarget | None:
        answer = await self._link.send(
            "POST", "/api/artifacts/uploads", content=msgspec.json.encode(_announce(file)), headers=_JSON
        )
        return decode(answer, ArtifactUploadReply).direct

    async def _send_directly(self, file: SpooledFile, target: DirectTarget) -> None:
        """Around the server, to the store itself; then the server looks at what came."""
        headers = {**target.headers, "Content-Length": str(file.size_bytes)}
        try:
            await self._link.send_elsewhere(target.url, content=read_pieces(self._spool.path_of(file)), headers=headers)
        except RequestRefusedError as error:  # an address that expired, most likely: a new one is asked for
            raise ServerUnavailableError(f"the store refused an upload: {error.status}") from error
        path = f"/api/artifacts/uploads/{target.upload_id}/accept"
        await self._link.send("POST", path, content=msgspec.json.encode(_announce(file)), headers=_JSON)

    async def _send_to_server(self, file: SpooledFile) -> None:
        headers = {
            JOB_ID: file.job_id,
            LEASE_TOKEN: file.lease_token,
            CONTENT_SHA256: file.sha256,
            "Content-Length": str(file.size_bytes),
            "Content-Type": "application/octet-stream",
        }
        answer = await self._link.send(
            "PUT",
            f"/api/artifacts/{file.key}",
            content=read_pieces(self._spool.path_of(file)),
            headers=headers,
            timeout_s=_LONGEST_S,
        )
        # Stored anew, and yet there was no way around the server: it has none, and is not asked for each file.
        self._asks_for_direct = self._asks_for_direct and answer.status_code != httpx.codes.CREATED

    async def _give_up(self, file: SpooledFile, why: str) -> None:
        await self._spool.act(lambda store: store.give_up(file))
        _log.error("an artifact cannot be stored", key=file.key, why=why)
        line = log_line("error", f"artifact {file.key} could not be stored: {why}")
        self._spool.put(log_event(job_id=file.job_id, lease_token=file.lease_token, lines=[line]))
        if (hope := self._hopes.pop(file.key, None)) is not None and not hope.done():
            hope.set_exception(UploadFailedError(f"the file could not be stored: {why}"))
            hope.exception()


def _announce(file: SpooledFile) -> ArtifactAnnouncement:
    return ArtifactAnnouncement(
        key=file.key,
        job_id=UUID(file.job_id),
        lease_token=UUID(file.lease_token),
        size_bytes=file.size_bytes,
        sha256=file.sha256,
    )


async def read_pieces(path: Path) -> AsyncIterator[bytes]:
    """The file's bytes, read off the loop."""
    stream = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(stream.read, _PIECE_BYTES):
            yield piece
    finally:
        await asyncio.to_thread(stream.close)
