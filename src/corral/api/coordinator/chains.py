"""Chains: tasks that are done one after the other."""

from typing import Any, Final

from litestar import Request, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from corral.api.auth import caller_of
from corral.api.coordinator.reading import read_body, read_filter, read_id
from corral.api.server import Server
from corral.model.coordinator import TaskStatus
from corral.model.errors import InvalidRequestError
from corral.wire.coordinator import ChainAnswer, ChainBody, ChainChange, ChainsAnswer


@post("/v1/chains")
async def create_chain(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> ChainAnswer:
    """Make a chain, queued or locked."""
    told = await read_body(request, ChainBody)
    if told.status in {TaskStatus.DONE, TaskStatus.FAILED}:
        raise InvalidRequestError(f"a chain cannot begin as {told.status}", path="status")
    chain = await server.engine.chains.create_chain(
        read_id(told.channel_id, noun="channel"),
        name=told.name,
        description=told.description,
        is_locked=told.status is TaskStatus.LOCKED,
        actor=caller_of(request).actor,
    )
    return ChainAnswer(chain)


@get("/v1/chains")
async def list_chains(server: NamedDependency[Server], channel_id: FromQuery[str | None] = None) -> ChainsAnswer:
    """The last thousand chains, of a channel or of all, oldest first."""
    return ChainsAnswer(await server.engine.chains.list(channel_id=read_filter(channel_id)))


@get("/v1/chains/{chain_id:str}")
async def get_chain(chain_id: FromPath[str], server: NamedDependency[Server]) -> ChainAnswer:
    """One chain."""
    return ChainAnswer(await server.engine.chains.get(read_id(chain_id, noun="chain")))


@put("/v1/chains/{chain_id:str}")
async def update_chain(
    chain_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> ChainAnswer:
    """Rename a chain, set it aside (locked), let it go on (queued), close it (done) or give it up (failed)."""
    told = await read_body(request, ChainChange)
    chain = await server.engine.chains.update_chain(
        read_id(chain_id, noun="chain"),
        name=told.name,
        description=told.description,
        status=told.status,
        actor=caller_of(request).actor,
    )
    return ChainAnswer(chain)


@delete("/v1/chains/{chain_id:str}")
async def delete_chain(
    chain_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Delete a chain with its tasks, unless one is in progress."""
    await server.engine.chains.delete_chain(read_id(chain_id, noun="chain"), actor=caller_of(request).actor)


HANDLERS: Final = [create_chain, list_chains, get_chain, update_chain, delete_chain]
