"""Content channels: YouTube channels that are kept in sync, and what is run on their new videos."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response
from msgspec import UnsetType

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.content import read_channel
from corral.model.contents import ContentChannel
from corral.model.errors import ContentUrlInvalidError, InvalidRequestError, NotFoundError, Problem, RecipeInvalidError
from corral.wire.contents import ChannelRun, ContentChannelChange, ContentChannelPage, ContentChannelRequest
from corral.workflow import Recipe, list_secrets, plan_request


@post("/api/content-channels")
async def create_content_channel(
    data: JSONBody[ContentChannelRequest], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[ContentChannel]:
    """Keep a channel in sync. One that is registered already is answered with 200, as it is."""
    try:
        ref = read_channel(data.channel)
    except ContentUrlInvalidError as error:
        raise ContentUrlInvalidError(error.message, path="channel") from None
    await _check_run(data.run, server)
    channel = await server.source.find_channel(ref)
    row = {**msgspec.to_builtins(channel), "sync_every_s": data.sync_every_s, "run_cap": data.run_cap}
    row["run"] = msgspec.to_builtins(data.run)
    is_new = await server.engine.content_channels.create_content_channel(row, actor=caller_of(request).actor)
    stored = await server.engine.content_channels.get(channel.youtube_channel_id)
    return Response(stored, status_code=201 if is_new else 200)


@get("/api/content-channels")
async def list_content_channels(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> ContentChannelPage:
    """Content channels by id, with how their sync goes."""
    found = await server.engine.content_channels.list(after=after, limit=limit)
    return ContentChannelPage(
        content_channels=found, next=found[-1].youtube_channel_id if len(found) == limit else None
    )


@get("/api/content-channels/{youtube_channel_id:str}")
async def get_content_channel(youtube_channel_id: FromPath[str], server: NamedDependency[Server]) -> ContentChannel:
    """One content channel."""
    return await server.engine.content_channels.get(_check(youtube_channel_id))


@patch("/api/content-channels/{youtube_channel_id:str}")
async def update_content_channel(
    youtube_channel_id: FromPath[str],
    data: JSONBody[ContentChannelChange],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> ContentChannel:
    """Change the rhythm, pause, resume; say what is run on new videos, or with null that nothing is."""
    if not isinstance(data.run, UnsetType):
        await _check_run(data.run, server)
    return await server.engine.content_channels.update_content_channel(
        _check(youtube_channel_id), msgspec.to_builtins(data), actor=caller_of(request).actor
    )


@delete("/api/content-channels/{youtube_channel_id:str}")
async def delete_content_channel(
    youtube_channel_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Sync a channel no more. Its contents stay."""
    await server.engine.content_channels.delete_content_channel(
        _check(youtube_channel_id), actor=caller_of(request).actor
    )


@post("/api/content-channels/{youtube_channel_id:str}/sync", status_code=202)
async def request_content_sync(
    youtube_channel_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> ContentChannel:
    """Sync a channel as soon as may be; 409 where it is paused."""
    return await server.engine.content_channels.request_content_sync(
        _check(youtube_channel_id), actor=caller_of(request).actor
    )


HANDLERS: Final = [
    create_content_channel,
    list_content_channels,
    get_content_channel,
    update_content_channel,
    delete_content_channel,
    request_content_sync,
]


async def _check_run(run: ChannelRun | None, server: Server) -> None:
    """Refuse now what could not be run later, with the path of the offending value."""
    if run is None:
        return
    try:
        workflow = await server.engine.workflows.find(run.workflow, version=run.version)
    except NotFoundError as error:
        raise InvalidRequestError(error.message, path="run.workflow") from None
    if workflow.mode != "device":
        raise InvalidRequestError("only device workflows can be run on new videos", path="run.workflow")
    recipe = msgspec.convert(workflow.recipe, Recipe)
    if secrets := list_secrets(recipe, run.params):
        message = "a secret cannot be kept with a channel: everybody who may look at it would see it"
        raise RecipeInvalidError([Problem(f"run.params.{name}", message) for name in secrets], code="params_invalid")
    plan_request(recipe, msgspec.to_builtins(run))
    await server.engine.files.check_input_files(recipe)


def _check(youtube_channel_id: str) -> str:
    """Whatever is not an id was never registered under it; PostgreSQL cannot even read all of that."""
    if not youtube_channel_id.isascii() or not youtube_channel_id.isprintable():
        raise NotFoundError("there is no such content channel", path="youtube_channel_id")
    return youtube_channel_id
