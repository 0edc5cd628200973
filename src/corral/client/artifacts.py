"""Artifacts: the screenshots, logs and files that jobs brought."""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from corral.client.paging import each_of
from corral.client.transport import Transport
from corral.model.errors import ChecksumMismatchError
from corral.model.records import Artifact
from corral.wire.artifacts import ArtifactPage


class Artifacts:
    """`client.artifacts`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, artifact_id: UUID | str) -> Artifact:
        """What is known of an artifact. Raises NotFoundError."""
        return self._transport.get(f"/api/artifacts/{artifact_id}", Artifact)

    def read(self, artifact_id: UUID | str) -> bytes:
        """An artifact's bytes, in memory."""
        with self._transport.stream(f"/api/artifacts/{artifact_id}/content") as answer:
            return answer.read()

    def download(self, artifact: Artifact, to: Path) -> Path:
        """Write an artifact's bytes to a file, which appears whole or not at all; directories are made.

        Raises ChecksumMismatchError if what came is not what was stored.
        """
        to.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=to.parent, prefix=f".{to.name[:50]}-")
        try:
            digest = hashlib.sha256()
            with (
                os.fdopen(descriptor, "wb") as file,
                self._transport.stream(f"/api/artifacts/{artifact.artifact_id}/content") as answer,
            ):
                for chunk in answer.iter_bytes():
                    digest.update(chunk)
                    file.write(chunk)
            _check(artifact, digest.hexdigest())
            Path(part).chmod(0o644)
            Path(part).replace(to)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
        return to

    def list(
        self,
        *,
        run_id: UUID | str | None = None,
        device_id: UUID | str | None = None,
        kind: str | None = None,
        most: int | None = None,
    ) -> Iterator[Artifact]:
        """Artifacts, newest first: of a run, of a device, of one kind (screenshot, log, file), or all."""
        query = {"run_id": run_id, "device_id": device_id, "kind": kind}

        def ask(before: str | None) -> "tuple[list[Artifact], str | None]":
            page = self._transport.get("/api/artifacts", ArtifactPage, {**query, "before": before})
            return page.artifacts, page.next

        return each_of(ask, most=most)


def _check(artifact: Artifact, sha256: str) -> None:
    if artifact.sha256 is not None and sha256 != artifact.sha256:
        raise ChecksumMismatchError(f"what came of artifact {artifact.artifact_id} is not what was stored")
