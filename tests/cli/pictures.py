"""Artifacts that a node stores, as it would."""

import hashlib
import struct
import zlib
from typing import Any
from uuid import uuid4

from tests.api.client import AS_NODE, Node, artifact_key


async def store_picture(node: Node, job: dict[str, Any]) -> bytes:
    """Store a picture that no other job has, and tell of it."""
    picture, key = _make_png(uuid4().bytes), artifact_key(job, node_id=node.node_id)
    headers = {
        **AS_NODE,
        "content-type": "application/octet-stream",
        "x-job-id": job["job_id"],
        "x-lease-token": job["lease_token"],
        "x-content-sha256": hashlib.sha256(picture).hexdigest(),
    }
    (await node._http.put(f"/api/artifacts/{key}", content=picture, headers=headers)).raise_for_status()
    event = node.event(job, "artifact_created", key=key, kind="screenshot", step="look")
    assert await node.call_back(node.event(job, "job_started"), event) == ["applied", "applied"]
    return picture


def _make_png(seed: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + seed[row * 4 : row * 4 + 4] for row in range(4))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
