"""Artifacts: nodes store them under a lease, operators find and fetch them."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from litestar import Request, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, HeaderParameter, JSONBody, QueryParameter
from litestar.response import Response

from corral.api.auth import check_speaks_for
from corral.api.body import StreamedBody, content_length
from corral.api.content import redirect_to_content, serve_content
from corral.api.deadline import allow_time_to_store
from corral.api.server import Server
from corral.model.errors import InvalidRequestError, ObjectExistsError, ObjectTooLargeError
from corral.model.records import Artifact, ArtifactUpload
from corral.storage import ArtifactKey, Receipt
from corral.telemetry import bound
from corral.wire.artifacts import (
    CONTENT_SHA256,
    JOB_ID,
    LEASE_TOKEN,
    ArtifactAnnouncement,
    ArtifactPage,
    ArtifactUploadReply,
    DirectTarget,
    StoredArtifact,
)

_DIRECT_LASTS: Final = timedelta(minutes=15)
JobHeader = Annotated[UUID, HeaderParameter(name=JOB_ID)]
TokenHeader = Annotated[UUID, HeaderParameter(name=LEASE_TOKEN)]
Sha256Header = Annotated[str, HeaderParameter(name=CONTENT_SHA256, pattern=r"^[0-9a-f]{64}$")]


@put(
    "/api/artifacts/{video:str}/{node_id:str}/{serial:str}/{run_id:str}/{name:str}",
    status_code=201,
    request_max_body_size=None,
)
async def put_artifact(
    video: FromPath[str],
    node_id: FromPath[str],
    serial: FromPath[str],
    run_id: FromPath[str],
    name: FromPath[str],
    *,
    job_id: JobHeader,
    lease_token: TokenHeader,
    sha256: Sha256Header,
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Response[StoredArtifact]:
    """Store an artifact's bytes under a lease. The same bytes again are answered with 200, others with 409."""
    key = f"{video}/{node_id}/{serial}/{run_id}/{name}"
    return await _put(key, server, request, job_id=job_id, lease_token=lease_token, sha256=sha256)


@put(
    "/api/artifacts/{video:str}/content/{serial:str}/{run_id:str}/{name:str}",
    status_code=201,
    request_max_body_size=None,
    include_in_schema=False,
)
async def put_artifact_of_node_content(
    video: FromPath[str],
    serial: FromPath[str],
    run_id: FromPath[str],
    name: FromPath[str],
    *,
    job_id: JobHeader,
    lease_token: TokenHeader,
    sha256: Sha256Header,
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Response[StoredArtifact]:
    """The same for a node whose id is `content`, which the router would take for the route below."""
    key = f"{video}/content/{serial}/{run_id}/{name}"
    return await _put(key, server, request, job_id=job_id, lease_token=lease_token, sha256=sha256)


@post("/api/artifacts/uploads", status_code=200)
async def begin_artifact(
    data: JSONBody[ArtifactAnnouncement], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> ArtifactUploadReply:
    """Ask for a way to upload directly to the store; null where there is none, or nothing left to upload: PUT then."""
    upload = await _begin(data, server, request)
    if upload.stored_at is not None:
        return ArtifactUploadReply(direct=None)
    target = await server.storage.store.presign_put(expires_in=_DIRECT_LASTS)
    if target is None:
        return ArtifactUploadReply(direct=None)
    expires_s = int(_DIRECT_LASTS.total_seconds())
    return ArtifactUploadReply(
        direct=DirectTarget(upload_id=target.upload_id, url=target.url, headers={}, expires_s=expires_s)
    )


@post("/api/artifacts/uploads/{upload_id:str}/accept", status_code=201)
async def accept_artifact(
    upload_id: FromPath[str],
    data: JSONBody[ArtifactAnnouncement],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Response[StoredArtifact]:
    """Check what was uploaded directly and store it under its key: answers as a PUT of the same bytes does."""
    upload = await _begin(data, server, request)
    if upload.stored_at is not None:
        return _answer(upload, data, status_code=200)
    return await _store(
        data,
        server,
        request,
        put=lambda limit_bytes: server.storage.store.accept(
            upload_id,
            data.key,
            limit_bytes=limit_bytes,
            size_bytes=data.size_bytes,
            sha256=data.sha256,
            filename=data.key.rpartition("/")[2],
        ),
    )


@get("/api/artifacts")
async def list_artifacts(
    server: NamedDependency[Server],
    *,
    run_id: FromQuery[UUID | None] = None,
    job_id: FromQuery[UUID | None] = None,
    device_id: FromQuery[UUID | None] = None,
    kind: FromQuery[Literal["screenshot", "log", "file"] | None] = None,
    before: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> ArtifactPage:
    """Artifacts, newest first: of a run, a job, a device, of one kind, or all."""
    artifacts = await server.engine.artifacts.list(
        run_id=run_id,
        job_id=job_id,
        device_id=device_id,
        kind=kind,
        before=None if before is None else _read_cursor(before),
        limit=limit,
    )
    last = artifacts[-1] if len(artifacts) == limit else None
    return ArtifactPage(artifacts=artifacts, next=None if last is None else _write_cursor(last))


@get("/api/artifacts/{artifact_id:uuid}")
async def get_artifact(artifact_id: FromPath[UUID], server: NamedDependency[Server]) -> Artifact:
    """What is known of an artifact."""
    return await server.engine.artifacts.get(artifact_id)


@get("/api/artifacts/{artifact_id:uuid}/content")
async def get_artifact_content(
    artifact_id: FromPath[UUID],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    direct: FromQuery[bool | None] = None,
) -> Response[Any]:
    """An artifact's bytes; pictures inline, all else as a download. With `direct`, from the store itself if it can."""
    artifact = await server.engine.artifacts.get(artifact_id)
    store = server.storage.store
    wants_direct = server.config.direct_downloads if direct is None else direct
    if wants_direct and (redirection := await redirect_to_content(store, artifact.key)) is not None:
        return redirection
    return await serve_content(
        request,
        store,
        artifact.key,
        content_type=artifact.content_type if artifact.is_stored else None,
        filename=artifact.key.rpartition("/")[2],
        sha256=artifact.sha256 if artifact.is_stored else None,
    )


HANDLERS: Final = [
    put_artifact,
    put_artifact_of_node_content,
    begin_artifact,
    accept_artifact,
    list_artifacts,
    get_artifact,
    get_artifact_content,
]


async def _put(
    key: str, server: Server, request: Request[Any, Any, Any], *, job_id: UUID, lease_token: UUID, sha256: str
) -> Response[StoredArtifact]:
    told = ArtifactAnnouncement(
        key=key, job_id=job_id, lease_token=lease_token, size_bytes=content_length(request), sha256=sha256
    )
    upload = await _begin(told, server, request)
    body, name = StreamedBody(request), key.rpartition("/")[2]

    def put(limit_bytes: int) -> Awaitable[Receipt]:
        return server.storage.store.put(
            key, body, limit_bytes=limit_bytes, size_bytes=told.size_bytes, sha256=sha256, filename=name
        )

    try:
        if upload.stored_at is not None:
            answer = _answer(upload, told, status_code=200)
        else:
            answer = await _store(told, server, request, put=put)
    except ObjectExistsError:
        await body.drain()
        raise
    await body.drain()
    return answer


async def _begin(told: ArtifactAnnouncement, server: Server, request: Request[Any, Any, Any]) -> ArtifactUpload:
    """Check who stores what for which job, and note it, before any byte is taken."""
    key = ArtifactKey.parse(told.key)
    check_speaks_for(request, key.node_id)
    limit_bytes = server.config.max_artifact_bytes
    if told.size_bytes > limit_bytes:
        raise ObjectTooLargeError(f"an artifact has at most {limit_bytes} bytes", limit_bytes=limit_bytes)
    with bound(node_id=key.node_id, run_id=str(key.run_id), device_serial=key.device_serial):
        return await server.engine.artifacts.begin_artifact(
            told.key, node_id=key.node_id, job_id=told.job_id, lease_token=told.lease_token
        )


async def _store(
    told: ArtifactAnnouncement,
    server: Server,
    request: Request[Any, Any, Any],
    *,
    put: Callable[[int], Awaitable[Receipt]],
) -> Response[StoredArtifact]:
    """Store, and note what was. A key that is taken may hold the same bytes, from a request whose answer was lost."""
    allow_time_to_store(request, told.size_bytes)
    status_code = 201
    try:
        receipt = await put(server.config.max_artifact_bytes)
    except ObjectExistsError:
        status_code = 200
        receipt = await server.storage.measure(told.key)
    stored = await server.engine.artifacts.store_artifact(
        told.key, size_bytes=receipt.size_bytes, sha256=receipt.sha256, content_type=receipt.content_type
    )
    return _answer(stored, told, status_code=status_code)


def _answer(upload: ArtifactUpload, told: ArtifactAnnouncement, *, status_code: int) -> Response[StoredArtifact]:
    if upload.sha256 != told.sha256:
        raise ObjectExistsError("this key holds other bytes")
    stored = StoredArtifact(
        key=upload.key,
        size_bytes=upload.size_bytes or 0,
        sha256=upload.sha256,
        content_type=upload.content_type or "",
    )
    return Response(stored, status_code=status_code)


def _write_cursor(last: Artifact) -> str:
    return f"{last.created_at.timestamp():.6f}_{last.artifact_id}"


def _read_cursor(text: str) -> tuple[datetime, UUID]:
    at, _, artifact_id = text.partition("_")
    try:
        return datetime.fromtimestamp(float(at), UTC), UUID(artifact_id)
    except (ValueError, OverflowError, OSError):
        raise InvalidRequestError("before is not the `next` of an earlier page", path="before") from None
