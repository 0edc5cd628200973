"""Command assets: the reusable steps that playbooks are made of."""

from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from msgspec import Meta, field

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.errors import InvalidRequestError, RecipeInvalidError
from corral.model.records import Command, Json
from corral.wire.commands import CommandCheck, CommandPage
from corral.wire.problems import Flaw
from corral.workflow import CommandAsset, installed_actions, parse_command

Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=100)]


class CommandBody(CommandAsset, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reusable step, and tags to find it by."""

    tags: Tags = field(default_factory=list)


@post("/api/commands")
async def create_command(
    data: JSONBody[Json], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Command:
    """Store a command asset; 409 where its name is taken."""
    asset, tags = _split(data)
    return await server.engine.commands.create_command(asset, tags=tags or [], actor=caller_of(request).actor)


@post("/api/commands/validate", status_code=200, sync_to_thread=False)
def validate_command(data: JSONBody[Json]) -> CommandCheck:
    """Everything that is wrong with a command asset. Writes nothing, and does not look whether its name is taken."""
    try:
        parse_command(_split(data)[0], installed_actions())
    except RecipeInvalidError as invalid:
        return CommandCheck(problems=[Flaw(path=each.path, message=each.message) for each in invalid.problems])
    return CommandCheck(problems=[])


@get("/api/commands")
async def list_commands(
    server: NamedDependency[Server],
    tag: FromQuery[str | None] = None,
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> CommandPage:
    """Command assets by name, of one tag or of all."""
    commands = await server.engine.commands.list(tag=tag, after=after, limit=limit)
    return CommandPage(commands=commands, next=commands[-1].name if len(commands) == limit else None)


@get("/api/commands/{command_id:uuid}")
async def get_command(command_id: FromPath[UUID], server: NamedDependency[Server]) -> Command:
    """One command asset."""
    return await server.engine.commands.get(command_id)


@put("/api/commands/{command_id:uuid}")
async def update_command(
    command_id: FromPath[UUID],
    data: JSONBody[Json],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Command:
    """Replace a command asset; playbooks that use it are outdated until they are saved again."""
    asset, tags = _split(data)
    return await server.engine.commands.update_command(command_id, asset, tags=tags, actor=caller_of(request).actor)


@delete("/api/commands/{command_id:uuid}")
async def delete_command(
    command_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Delete a command asset; 409 while a playbook uses it."""
    await server.engine.commands.delete_command(command_id, actor=caller_of(request).actor)


HANDLERS: Final = [create_command, validate_command, list_commands, get_command, update_command, delete_command]


def _split(body: Json) -> tuple[Json, list[str] | None]:
    """The asset, for the recipe language to check, and the tags, which are not its business."""
    asset = {name: value for name, value in body.items() if name != "tags"}
    if "tags" not in body:
        return asset, None
    try:
        return asset, msgspec.convert(body["tags"], Tags)
    except msgspec.ValidationError as error:
        raise InvalidRequestError(str(error), path="tags") from None
