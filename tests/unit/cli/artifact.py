"""An artifact of no importance."""

from datetime import UTC, datetime
from uuid import uuid4

from corral.model.records import Artifact


def make_artifact(*, key: str, serial: str | None, index_no: int | None) -> Artifact:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Artifact(
        artifact_id=uuid4(),
        key=key,
        run_id=uuid4(),
        job_id=uuid4(),
        device_id=None,
        serial=serial,
        index_no=index_no,
        node_id="rack-1",
        step=None,
        attempt=1,
        kind="file",
        content_type=None,
        size_bytes=1,
        sha256=None,
        is_stored=True,
        url="",
        at=now,
        created_at=now,
    )
