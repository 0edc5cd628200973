"""Playbooks: ordered choices of command assets. Saving one compiles a new workflow version."""

from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from corral import workflow
from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.errors import InvalidRequestError, NotFoundError, RecipeInvalidError
from corral.model.records import Json, Playbook, Workflow
from corral.wire.playbooks import PlaybookCheck, PlaybookPage
from corral.wire.problems import Flaw
from corral.workflow.words import Slug


class PlaybookBody(workflow.Playbook, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ordered choice of command assets."""


@post("/api/playbooks")
async def save_playbook(
    data: JSONBody[Json], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Playbook:
    """Compile a playbook and store it under its name, together with the next version of its workflow."""
    return await server.engine.playbooks.save_playbook(data, actor=caller_of(request).actor)


@post("/api/playbooks/validate", status_code=200)
async def validate_playbook(data: JSONBody[Json], server: NamedDependency[Server]) -> PlaybookCheck:
    """What saving this playbook would make of it, or everything that is wrong with it. Writes nothing."""
    try:
        text, problems = workflow.to_yaml(await server.engine.playbooks.compile_playbook(data)), []
    except RecipeInvalidError as invalid:
        text, problems = None, [Flaw(path=each.path, message=each.message) for each in invalid.problems]
    saved = await _find_saved(data.get("name"), server)
    return PlaybookCheck(
        problems=problems,
        text=text,
        saved_version=saved.version if saved else None,
        saved_text=workflow.to_yaml(msgspec.convert(saved.recipe, workflow.Recipe)) if saved else None,
    )


@get("/api/playbooks")
async def list_playbooks(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> PlaybookPage:
    """Playbooks by name."""
    playbooks = await server.engine.playbooks.list(after=after, limit=limit)
    return PlaybookPage(playbooks=playbooks, next=playbooks[-1].name if len(playbooks) == limit else None)


@get("/api/playbooks/{playbook_id:uuid}")
async def get_playbook(playbook_id: FromPath[UUID], server: NamedDependency[Server]) -> Playbook:
    """One playbook."""
    return await server.engine.playbooks.get(playbook_id)


@put("/api/playbooks/{playbook_id:uuid}")
async def update_playbook(
    playbook_id: FromPath[UUID],
    data: JSONBody[Json],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Playbook:
    """Save a playbook again, under the name that it has."""
    playbook = await server.engine.playbooks.get(playbook_id)
    if data.get("name") != playbook.name:
        raise InvalidRequestError(f"a playbook keeps its name, {playbook.name}", path="name")
    return await server.engine.playbooks.save_playbook(data, actor=caller_of(request).actor)


@delete("/api/playbooks/{playbook_id:uuid}")
async def delete_playbook(
    playbook_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Delete a playbook; its workflow versions and their runs stay."""
    await server.engine.playbooks.delete_playbook(playbook_id, actor=caller_of(request).actor)


HANDLERS: Final = [save_playbook, validate_playbook, list_playbooks, get_playbook, update_playbook, delete_playbook]


async def _find_saved(name: object, server: Server) -> Workflow | None:
    """The newest version of the name, if that is a name and there is one."""
    try:
        return await server.engine.workflows.find(msgspec.convert(name, Slug))
    except (msgspec.ValidationError, NotFoundError):
        return None
