"""The place of work that a step's action is given: see actions/protocol.py for what it promises."""

from __future__ import annotations

import asyncio
import mimetypes
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from corral.drivers.protocol import Phone
from corral.node.actions.protocol import ArtifactKind, Level, StoredFile
from corral.node.events import clean_text
from corral.node.files import InputFiles
from corral.node.job_context import JobContext
from corral.node.spool.records import SpooledFile
from corral.node.spool.spool import Spool, digest, new_name
from corral.node.spool.upload import UploadFiles
from corral.storage.keys import ArtifactKey
from corral.workflow import DeviceContext, RunContext

_NO_SERIAL: Final = "steps"
"""In the keys of artifacts of steps that have no phone."""

_EXTENSION: Final = re.compile(r"[a-z0-9]{1,8}")
_EXTENSION_OF_KIND: Final[dict[str, str]] = {"screenshot": "png", "log": "txt", "file": "bin"}


class Artifacts:
    """Hands files of jobs to the spool."""

    def __init__(self, spool: Spool, uploads: UploadFiles) -> None:
        self._spool = spool
        self._uploads = uploads

    async def store(
        self, job: JobContext, path: Path, *, kind: ArtifactKind, name: str | None, step: str | None, waits: bool
    ) -> StoredFile:
        """Queue a copy; with `waits`, return only once it is on the server. Raises SpoolFullError, UploadFailedError."""
        sha256, size_bytes = await asyncio.to_thread(digest, path)
        extension = _extension(name or path.name, kind)
        key = str(
            ArtifactKey(
                youtube_video_id=job.spec.youtube_video_id,
                node_id=job.node_id,
                device_serial=job.grant.serial or _NO_SERIAL,
                run_id=job.grant.run_id,
                at=datetime.now(UTC),
                extension=extension,
            )
        )
        content_type = mimetypes.guess_type(f"_.{extension}")[0] or "application/octet-stream"
        file = SpooledFile(
            key=key,
            name=new_name(),
            job_id=str(job.grant.job_id),
            lease_token=str(job.token),
            sha256=sha256,
            size_bytes=size_bytes,
            content_type=content_type,
        )
        clean_name = None if name is None else clean_text(name, job.secrets)
        told = {"key": key, "kind": kind, "step": step, "content_type": content_type}
        event = job.events.make("artifact_created", **told, size_bytes=size_bytes, sha256=sha256, name=clean_name)
        arrival = self._uploads.stored(key) if waits else None
        await self._spool.put_file(path, file=file, event=event)
        if arrival is not None:
            await arrival
        return StoredFile(path=path, sha256=sha256, size_bytes=size_bytes)


class StepBench:
    """One step's bench."""

    def __init__(
        self,
        job: JobContext,
        *,
        step_id: str,
        artifacts: Artifacts,
        files: InputFiles,
        allows_shell: bool,
        waits_for_uploads: bool,
    ) -> None:
        self._job = job
        self._step_id = step_id
        self._artifacts = artifacts
        self._files = files
        self._allows_shell = allows_shell
        self._waits_for_uploads = waits_for_uploads

    @property
    def step_id(self) -> str:
        return self._step_id

    @property
    def run(self) -> RunContext:
        return self._job.run

    @property
    def device(self) -> DeviceContext:
        return self._job.device

    @property
    def phone(self) -> Phone:
        return self._job.phone

    @property
    def scratch(self) -> Path:
        return self._job.scratch

    @property
    def allows_shell(self) -> bool:
        return self._allows_shell

    def log(self, level: Level, message: str) -> None:
        self._job.say(level, message, step=self._step_id)

    async def store(self, path: Path, *, kind: ArtifactKind, name: str | None = None) -> StoredFile:
        return await self._artifacts.store(
            self._job, path, kind=kind, name=name, step=self._step_id, waits=self._waits_for_uploads
        )

    async def fetch(self, file: str) -> Path:
        return await self._files.fetch(file)


def _extension(name: str, kind: ArtifactKind) -> str:
    suffix = Path(name).suffix.removeprefix(".").lower()
    return suffix if _EXTENSION.fullmatch(suffix) else _EXTENSION_OF_KIND[kind]
