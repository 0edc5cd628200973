"""Send the spool's files to the server, oldest first. Only then may anybody hear of an artifact.

What the server refuses for good is given up, with a line in the job's log. A job's end does not wait for its files:
they count for a day after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from corral.model.errors import CorralError, RequestRefusedError, ServerUnavailableError, UploadFailedError
from corral.node.backoff import Backoff
from corral.node.events import log_event, log_line
from corral.node.link import Link
from corral.node.spool.records import SpooledFile
from corral.node.spool.spool import Spool
from corral.telemetry import logger

_AT_ONCE: Final = 4
_PIECE_BYTES: Final = 1 << 18
_LONGEST_S: Final = 600.0
_CREDENTIAL: Final = 401
_log = logger(__name__)


class UploadFiles:
    """The loop that sends files. `stored` lets a step wait for its own."""

    def __init__(self, spool: Spool, link: Link) -> None:
        self._spool = spool
        self._link = link
        self._backoff = Backoff()
        self._turn = asyncio.Lock()
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
        headers = {
            "X-Job-Id": file.job_id,
            "X-Lease-Token": file.lease_token,
            "X-Content-Sha256": file.sha256,
            "Content-Length": str(file.size_bytes),
            "Content-Type": file.content_type,
        }
        content = read_pieces(self._spool.path_of(file))
        try:
            await self._link.send(
                "PUT", f"/api/artifacts/{file.key}", content=content, headers=headers, timeout_s=_LONGEST_S
            )
        except RequestRefusedError as error:
            if error.status == _CREDENTIAL:  # an operator can mend that
                raise ServerUnavailableError(error.message) from error
            raise

    async def _give_up(self, file: SpooledFile, why: str) -> None:
        await self._spool.act(lambda store: store.give_up(file))
        _log.error("an artifact cannot be stored", key=file.key, why=why)
        line = log_line("error", f"artifact {file.key} could not be stored: {why}")
        self._spool.put(log_event(job_id=file.job_id, lease_token=file.lease_token, lines=[line]))
        if (hope := self._hopes.pop(file.key, None)) is not None and not hope.done():
            hope.set_exception(UploadFailedError(f"the file could not be stored: {why}"))
            hope.exception()


async def read_pieces(path: Path) -> AsyncIterator[bytes]:
    """The file's bytes, read off the loop."""
    stream = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(stream.read, _PIECE_BYTES):
            yield piece
    finally:
        await asyncio.to_thread(stream.close)
