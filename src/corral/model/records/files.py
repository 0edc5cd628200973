"""What the store holds: artifacts of jobs, and input files."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct


class Artifact(Struct, frozen=True):
    """A stored file that a job brought. `url` is where its bytes are, if `is_stored`."""

    artifact_id: UUID
    key: str
    run_id: UUID
    job_id: UUID
    device_id: UUID | None
    serial: str | None
    index_no: int | None
    node_id: str
    step: str | None
    attempt: int
    kind: str
    content_type: str | None
    size_bytes: int | None
    sha256: str | None
    is_stored: bool
    url: str
    at: datetime
    created_at: datetime


class ArtifactUpload(Struct, frozen=True):
    """An artifact's bytes on their way into the store, or there since `stored_at`."""

    key: str
    job_id: UUID
    sha256: str | None
    size_bytes: int | None
    content_type: str | None
    stored_at: datetime | None


class InputFile(Struct, frozen=True):
    """A name and contents that it has, or had before something newer. `file_no` counts up with every save."""

    file_no: int
    name: str
    sha256: str
    size_bytes: int
    content_type: str | None
    is_newest: bool
    created_by: str | None
    created_at: datetime
