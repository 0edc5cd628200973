"""Channels: the queues of tasks."""

from typing import Any, Final

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from corral.api.auth import caller_of
from corral.api.coordinator.reading import read_body
from corral.api.coordinator.slashes import read_name
from corral.api.server import Server
from corral.wire.coordinator import ChannelAnswer, ChannelBody, ChannelsAnswer


@post("/v1/channels")
async def create_channel(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> ChannelAnswer:
    """Make a channel; its name is its own."""
    told = await read_body(request, ChannelBody)
    channel = await server.engine.channels.create_channel(
        told.name, description=told.description, actor=caller_of(request).actor
    )
    return ChannelAnswer(channel)


@get("/v1/channels")
async def list_channels(server: NamedDependency[Server]) -> ChannelsAnswer:
    """Channels by name, with how many of their tasks are in which state."""
    return ChannelsAnswer(await server.engine.channels.list())


@get("/v1/channels/by-name/{name:str}")
async def get_channel_by_name(name: FromPath[str], server: NamedDependency[Server]) -> ChannelAnswer:
    """The channel of that name."""
    return ChannelAnswer(await server.engine.channels.find_by_name(read_name(name)))


HANDLERS: Final = [create_channel, list_channels, get_channel_by_name]
