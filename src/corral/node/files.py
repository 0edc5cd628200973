"""Input files (APKs, media) that the server keeps, cached here by their contents.

A file is checked against its sha256 before anybody gets it, fetched once however many phones want it at a time, and
removed again, the longest unused first, when the cache grows beyond its limit.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

import httpx
from msgspec import Struct

from corral.model.errors import ActionFailedError, ServerUnavailableError
from corral.node.backoff import Backoff
from corral.node.link import Link
from corral.node.problems import raise_for_problem
from corral.telemetry import logger

_PART: Final = ".part"
_log = logger(__name__)


class FileFacts(Struct, frozen=True):
    """What the server says of a file."""

    sha256: str
    size_bytes: int


class InputFiles:
    """The node's cache of input files."""

    def __init__(self, link: Link, path: Path, *, limit_bytes: int) -> None:
        self._link = link
        self._path = path
        self._limit_bytes = limit_bytes
        self._fetching: dict[str, asyncio.Task[Path]] = {}
        path.mkdir(parents=True, exist_ok=True)
        for left_over in path.glob(f"*{_PART}"):
            left_over.unlink()

    async def fetch(self, ref: str) -> Path:
        """The file of this name or sha256, whole; waits for a server that is away. Raises RequestRefusedError."""
        backoff = Backoff()
        while True:
            try:
                facts = await self._link.get(f"/api/files/{quote(ref, safe='')}", FileFacts)
                return await self._once(ref, facts)
            except ServerUnavailableError:
                await asyncio.sleep(backoff.next_s())

    async def _once(self, ref: str, facts: FileFacts) -> Path:
        """One download per contents: a job that is cancelled while it waits takes nobody else's download along."""
        task = self._fetching.get(facts.sha256)
        if task is None:
            task = asyncio.create_task(self._provide(ref, facts))
            self._fetching[facts.sha256] = task
            task.add_done_callback(lambda done: self._fetched(facts.sha256, done))
        return await asyncio.shield(task)

    def _fetched(self, sha256: str, done: asyncio.Task[Path]) -> None:
        self._fetching.pop(sha256, None)
        if not done.cancelled():
            done.exception()  # everybody who wanted it may have been cancelled meanwhile

    async def _provide(self, ref: str, facts: FileFacts) -> Path:
        path = self._path / facts.sha256
        if await asyncio.to_thread(_is_whole, path, facts.size_bytes):
            return path
        await asyncio.to_thread(self._make_room, facts.size_bytes)
        part = path.with_suffix(_PART)
        try:
            found = await self._download(f"/api/files/{quote(ref, safe='')}/content", part)
            if found != facts.sha256:
                raise ActionFailedError(f"the file {ref} changed while it was fetched, or was damaged on the way")
            if os.name != "nt":  # where what is read-only cannot be removed
                part.chmod(0o444)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        return path

    async def _download(self, url: str, part: Path) -> str:
        found = hashlib.sha256()
        try:
            async with self._link.stream(url) as answer:
                if not answer.is_success:
                    raise_for_problem(answer.status_code, await answer.aread())
                with part.open("wb") as writing:
                    async for piece in answer.aiter_bytes():
                        found.update(piece)
                        await asyncio.to_thread(writing.write, piece)
        except httpx.HTTPError as error:
            raise ServerUnavailableError(f"GET {url}: {type(error).__name__}") from error
        return found.hexdigest()

    def _make_room(self, size_bytes: int) -> None:
        """Remove what was not used for longest. A file in use stays readable to whoever has it open."""
        known = sorted((path.stat().st_atime, path) for path in self._path.iterdir() if path.suffix != _PART)
        used = sum(path.stat().st_size for _, path in known)
        for _, path in known:
            if used + size_bytes <= self._limit_bytes:
                return
            used -= path.stat().st_size
            path.unlink()
            _log.info("an input file left the cache", sha256=path.name)


def _is_whole(path: Path, size_bytes: int) -> bool:
    """Whether the file is there; looking at it counts as using it."""
    if not path.is_file() or path.stat().st_size != size_bytes:
        return False
    os.utime(path)
    return True
