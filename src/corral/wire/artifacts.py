"""How a node stores the bytes of an artifact, before its artifact_created event tells of them.

Either PUT /api/artifacts/{key} with the bytes and the headers below, or, where the store has URLs, a direct upload:
ask for one, PUT the bytes to its URL, and have them accepted. A repeated upload sends the key that it was first given.
"""

from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta, Struct

from corral.model.records import Artifact

JOB_ID: Final = "X-Job-Id"
LEASE_TOKEN: Final = "X-Lease-Token"  # noqa: S105 - a header's name
CONTENT_SHA256: Final = "X-Content-Sha256"

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, Meta(ge=0, le=2**53)]


class ArtifactAnnouncement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be stored, and the lease that it belongs to."""

    key: Annotated[str, Meta(min_length=1, max_length=512)]
    job_id: UUID
    lease_token: UUID
    size_bytes: Size
    sha256: Sha256


class DirectTarget(Struct, frozen=True, kw_only=True):
    """PUT the bytes to `url` with these headers within `expires_s`. The URL is a credential."""

    upload_id: str
    url: str
    headers: dict[str, str]
    expires_s: int


class ArtifactUploadReply(Struct, frozen=True, kw_only=True):
    """Where to send the bytes; null: to PUT /api/artifacts/{key}."""

    direct: DirectTarget | None


class StoredArtifact(Struct, frozen=True, kw_only=True):
    """What is stored under the key, as it was measured; the type is sniffed."""

    key: str
    size_bytes: int
    sha256: str
    content_type: str


class ArtifactPage(Struct, frozen=True, kw_only=True):
    """Artifacts, newest first; `next` is the `before` of the following page, null on the last."""

    artifacts: list[Artifact]
    next: str | None
