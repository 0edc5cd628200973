"""Live pictures: operators look at a screen, its node sends what it shows, the latest alone is kept."""

import asyncio
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from litestar import Request, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter, RawBody
from litestar.response import Response

from corral.api.auth import check_speaks_for
from corral.api.server import Server
from corral.engine.gateway.pictures import WATCH_TIME
from corral.model.errors import ConflictError, InvalidRequestError, NotFoundError
from corral.model.records import Picture
from corral.storage.sniff import sniff
from corral.telemetry import bound
from corral.wire.nodes import MOST_PICTURE_BYTES, NodeId, PictureFailure, Watched

_LOOK_EVERY_S: Final = 0.2
_SHOWN: Final = frozenset({"image/png", "image/jpeg"})
EpochParameter = Annotated[int, QueryParameter(ge=0, le=2**31 - 1)]


@post("/api/devices/{device_id:uuid}/watch", status_code=200)
async def watch_device(device_id: FromPath[UUID], server: NamedDependency[Server]) -> Watched:
    """Ask for pictures of a device's screen, about one a second, for ten seconds from now; ask again to go on."""
    node_id = await server.engine.pictures.watch_device(device_id)
    server.engine.announcements.announce([node_id])
    return Watched(watch_s=WATCH_TIME.total_seconds())


@get("/api/devices/{device_id:uuid}/picture")
async def get_picture(
    device_id: FromPath[UUID],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    wait_s: Annotated[float, QueryParameter(ge=0, le=10)] = 0.0,
) -> Response[bytes]:
    """What a watched device's screen shows now; waits up to `wait_s` for another than the ETag that was sent, then 304.

    `X-Age-Ms` is its age. 409 `no_picture`, with the reason, where the phone gives none; 404 where nobody watches.
    """
    known = request.headers.get("if-none-match", "")
    stored_at = await _wait_for_news(server, device_id, known, wait_s=wait_s)
    if stored_at is not None and _etag(stored_at) in known:
        return Response(b"", status_code=304, headers=_headers(stored_at))
    picture = await server.engine.pictures.find(device_id)
    if picture is None:
        await server.engine.devices.get(device_id)
        raise NotFoundError("there is no picture: nobody watches this device", path="device_id")
    return _answer(picture)


@put("/api/nodes/{node_id:str}/pictures/{device_id:uuid}", status_code=200, request_max_body_size=MOST_PICTURE_BYTES)
async def store_picture(
    node_id: FromPath[NodeId],
    device_id: FromPath[UUID],
    *,
    epoch: EpochParameter,
    body: RawBody,
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Watched:
    """What a device's screen shows, as PNG or JPEG. The answer says for how long to go on; nothing is kept if nobody looks."""
    check_speaks_for(request, node_id)
    content_type = sniff(body)
    if content_type not in _SHOWN:
        raise InvalidRequestError("a picture is a PNG or a JPEG", path="body")
    with bound(node_id=node_id):
        watch_s = await server.engine.pictures.store_picture(
            node_id, device_id, epoch=epoch, content_type=content_type, content=body
        )
    return Watched(watch_s=watch_s)


@post("/api/nodes/{node_id:str}/pictures/{device_id:uuid}/failure", status_code=200)
async def report_no_picture(
    node_id: FromPath[NodeId],
    device_id: FromPath[UUID],
    data: JSONBody[PictureFailure],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Watched:
    """Why a device gives no picture, in the place of one. Answered as a picture is."""
    check_speaks_for(request, node_id)
    with bound(node_id=node_id):
        watch_s = await server.engine.pictures.store_picture(
            node_id, device_id, epoch=data.epoch, error_message=data.message
        )
    return Watched(watch_s=watch_s)


HANDLERS: Final = [watch_device, get_picture, store_picture, report_no_picture]


async def _wait_for_news(server: Server, device_id: UUID, known: str, *, wait_s: float) -> datetime | None:
    """When the last word came, once it is another than the caller has, or the wait is over."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + wait_s
    while True:
        stored_at = await server.engine.pictures.find_stored_at(device_id)
        is_news = stored_at is not None and _etag(stored_at) not in known
        left_s = deadline - loop.time()
        if is_news or left_s <= 0 or server.waiting.is_closed:
            return stored_at
        await asyncio.sleep(min(_LOOK_EVERY_S, left_s))


def _answer(picture: Picture) -> Response[bytes]:
    if picture.content is None:
        raise ConflictError(picture.error_message or "", code="no_picture", path="device_id")
    headers = {**_headers(picture.stored_at), "x-age-ms": str(max(0, round(picture.age_s * 1000)))}
    return Response(picture.content, media_type=picture.content_type, headers=headers)


def _headers(stored_at: datetime) -> dict[str, str]:
    return {"etag": _etag(stored_at), "cache-control": "private, no-store", "x-content-type-options": "nosniff"}


def _etag(stored_at: datetime) -> str:
    return f'"{stored_at.timestamp():.6f}"'
