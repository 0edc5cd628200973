"""Input files: operators upload them once, nodes and operators find them by name or sha256."""

from contextlib import suppress
from typing import Annotated, Any, Final
from uuid import UUID

from litestar import Request, delete, get, patch, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, HeaderParameter, JSONBody, PathParameter, QueryParameter
from litestar.response import Response

from corral.api.auth import caller_of
from corral.api.body import StreamedBody, content_length
from corral.api.content import redirect_to_content, serve_content
from corral.api.deadline import allow_time_to_store
from corral.api.server import Server
from corral.model.errors import CorralError, InvalidRequestError, NotFoundError, ObjectNotFoundError
from corral.model.records import InputFile
from corral.storage import Receipt, Upload, file_key
from corral.wire.artifacts import CONTENT_SHA256
from corral.wire.files import FILE_NAME, UPLOAD_OFFSET, FileAnnouncement, FilePage, FileUpload

_SHA256: Final = r"^[0-9a-f]{64}$"


@post("/api/files", status_code=201)
async def begin_file(
    data: JSONBody[FileAnnouncement], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[FileUpload]:
    """Begin a resumable upload; 200 with the file at once where its sha256 is stored already."""
    file = await _adopt(data, server, actor=caller_of(request).actor)
    if file is not None:
        known = FileUpload(upload_id=None, offset=data.size_bytes, size_bytes=data.size_bytes, file=file)
        return Response(known, status_code=200)
    upload = await server.storage.uploads.begin(name=data.name, size_bytes=data.size_bytes, sha256=data.sha256)
    return Response(_state(upload), status_code=201)


@get("/api/files/uploads/{upload_id:str}")
async def get_file_upload(upload_id: FromPath[str], server: NamedDependency[Server]) -> Response[FileUpload]:
    """How far an upload has come."""
    return _with_offset(await server.storage.uploads.find(upload_id))


@patch("/api/files/uploads/{upload_id:str}", request_max_body_size=None)
async def append_to_file(
    upload_id: FromPath[str],
    offset: Annotated[int, HeaderParameter(name=UPLOAD_OFFSET, ge=0, le=2**53)],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Response[FileUpload]:
    """Go on at the offset where the upload stands. What came is kept even if the connection breaks."""
    return _with_offset(await server.storage.uploads.append(upload_id, StreamedBody(request), offset=offset))


@post("/api/files/uploads/{upload_id:str}/finish", status_code=200)
async def finish_file(
    upload_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> InputFile:
    """Check a whole upload and store it under its name. Repeating it is safe."""
    upload = await server.storage.uploads.find(upload_id)
    return await _finish(upload, server, request)


@put("/api/files/{ref:str}", status_code=201, request_max_body_size=None)
async def put_file(
    ref: Annotated[str, PathParameter(pattern=FILE_NAME, description="The file's name.")],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    sha256: Annotated[str | None, HeaderParameter(name=CONTENT_SHA256, pattern=_SHA256)] = None,
) -> InputFile:
    """Upload a file in one request. The name means its newest contents; older ones are reached by their sha256."""
    uploads = server.storage.uploads
    upload = await uploads.begin(name=ref, size_bytes=content_length(request), sha256=sha256)
    try:
        return await _finish(await uploads.append(upload.upload_id, StreamedBody(request), offset=0), server, request)
    finally:
        with suppress(CorralError):  # it may be gone already; otherwise it expires
            await uploads.abandon(upload.upload_id)


@get("/api/files")
async def list_files(
    server: NamedDependency[Server],
    *,
    name: FromQuery[str | None] = None,
    after: Annotated[int | None, QueryParameter(ge=1, le=2**53)] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> FilePage:
    """Input files, newest first: everything that one name meant, or all."""
    files = await server.engine.files.list(name=name, after=after, limit=limit)
    return FilePage(files=files, next=files[-1].file_no if len(files) == limit else None)


@delete("/api/files/{ref:str}", status_code=204)
async def delete_file(
    ref: Annotated[str, PathParameter(pattern=_SHA256, description="The file's sha256.")],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> None:
    """Delete contents, under all their names."""
    await server.engine.files.delete_file(ref, actor=caller_of(request).actor)
    await server.storage.store.delete(file_key(ref))
    await server.engine.files.forget_file(ref)


@get("/api/files/{ref:str}")
async def get_file(ref: FromPath[str], server: NamedDependency[Server]) -> InputFile:
    """An input file by its sha256, or the newest of that name."""
    return await server.engine.files.find(ref)


@get("/api/files/{ref:str}/content")
async def get_file_content(
    ref: FromPath[str],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    direct: FromQuery[bool | None] = None,
) -> Response[Any]:
    """An input file's bytes, as a download unless it is a picture. With `direct`, from the store itself if it can."""
    file = await server.engine.files.find(ref)
    store, key = server.storage.store, file_key(file.sha256)
    wants_direct = server.config.direct_downloads if direct is None else direct
    if wants_direct and (redirection := await redirect_to_content(store, key)) is not None:
        return redirection
    return await serve_content(
        request,
        store,
        key,
        content_type=file.content_type,
        filename=file.name,
        sha256=file.sha256,
        is_immutable=ref == file.sha256,
    )


HANDLERS: Final = [
    begin_file,
    get_file_upload,
    append_to_file,
    finish_file,
    put_file,
    list_files,
    delete_file,
    get_file,
    get_file_content,
]


async def _finish(upload: Upload, server: Server, request: Request[Any, Any, Any]) -> InputFile:
    """Store and name an upload: claimed in the books before it is stored, so that no deletion comes in between."""
    files, claimed = server.engine.files, list[UUID]()

    async def reserve(receipt: Receipt) -> None:
        claimed.append(
            await files.reserve_file(receipt.sha256, size_bytes=receipt.size_bytes, content_type=receipt.content_type)
        )

    allow_time_to_store(request, upload.size_bytes)
    receipt = await server.storage.uploads.finish(upload.upload_id, reserve=reserve)
    return await files.save_file(upload.name, receipt.sha256, file_id=claimed[-1], actor=caller_of(request).actor)


async def _adopt(data: FileAnnouncement, server: Server, *, actor: str | None) -> InputFile | None:
    """Give contents that are stored already another name; None where they are not."""
    if data.sha256 is None:
        return None
    try:
        known = await server.engine.files.find(data.sha256)
        if known.size_bytes != data.size_bytes:
            raise InvalidRequestError(f"a file of that sha256 has {known.size_bytes} bytes", path="size_bytes")
        file_id = await server.engine.files.reserve_file(
            known.sha256, size_bytes=known.size_bytes, content_type=known.content_type or ""
        )
        await server.storage.store.stat(file_key(known.sha256))
    except (NotFoundError, ObjectNotFoundError):
        return None
    return await server.engine.files.save_file(data.name, known.sha256, file_id=file_id, actor=actor)


def _state(upload: Upload) -> FileUpload:
    return FileUpload(upload_id=upload.upload_id, offset=upload.offset, size_bytes=upload.size_bytes)


def _with_offset(upload: Upload) -> Response[FileUpload]:
    return Response(_state(upload), headers={UPLOAD_OFFSET: str(upload.offset)})
