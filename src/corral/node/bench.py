"""The place of work that a step's action is given: see actions/protocol.py for what it promises."""

from __future__ import annotations

import asyncio
import mimetypes
import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import UUID

from corral.drivers.adb.private import PrivateAdb, private_adb
from corral.drivers.protocol import Phone
from corral.model.testing import Chunk, Offer
from corral.node.actions.protocol import ArtifactKind, Level, StoredFile
from corral.node.actions.scratch import OWN
from corral.node.events import clean_text
from corral.node.files import InputFiles
from corral.node.job_context import JobContext
from corral.node.sharing import ShareTests
from corral.node.spool.records import SpooledFile
from corral.node.spool.spool import Spool, digest, new_name
from corral.node.spool.upload import UploadFiles
from corral.storage.keys import ArtifactKey
from corral.wire.testing import ToldResult
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
        tests: ShareTests,
        allows_shell: bool,
        adb_program: Path | None,
        waits_for_uploads: bool,
    ) -> None:
        self._job = job
        self._step_id = step_id
        self._artifacts = artifacts
        self._files = files
        self._tests = tests
        self._allows_shell = allows_shell
        self._adb_program = adb_program
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

    @property
    def adb_port(self) -> int:
        return self._job.phone.adb_port

    def own_adb(self) -> AbstractAsyncContextManager[PrivateAdb]:
        phone = self._job.phone
        return private_adb(
            reach=phone.reach,
            may_touch=phone.may_touch,
            folder=self._job.scratch / OWN / "adb",
            program=self._adb_program,
        )

    def report_tests(self, results: Sequence[ToldResult]) -> None:
        self._tests.report(self._job, self._step_id, results)

    async def offer_tests(
        self, tests: Sequence[tuple[str, str]], *, chunk: str, test_retries: int, infra_retries: int
    ) -> Offer:
        return await self._tests.offer(
            self._job, self._step_id, tests, chunk=chunk, test_retries=test_retries, infra_retries=infra_retries
        )

    async def claim_tests(self, request_id: UUID) -> Chunk:
        return await self._tests.claim(self._job, self._step_id, request_id)

    async def fetch(self, file: str) -> Path:
        return await self._files.fetch(file)


def _extension(name: str, kind: ArtifactKind) -> str:
    suffix = Path(name).suffix.removeprefix(".").lower()
    return suffix if _EXTENSION.fullmatch(suffix) else _EXTENSION_OF_KIND[kind]
