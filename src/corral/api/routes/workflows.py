"""Workflows: versioned, immutable recipes."""

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, PathParameter, QueryParameter, RawBody

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.records import Workflow
from corral.wire.workflows import StepPlan, WorkflowPage, WorkflowPlan
from corral.workflow import installed_actions, parse_recipe, resolve_plan, to_json


@post("/api/workflows")
async def create_workflow(body: RawBody, server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Workflow:
    """Store a recipe, YAML or JSON, as the next version of its name; the same recipe again is not a new version."""
    recipe = parse_recipe(body, installed_actions())
    return await server.engine.workflows.create_workflow(
        recipe.name,
        msgspec.json.decode(to_json(recipe)),
        mode="device" if recipe.mode == "device" else "distributed",
        actor=caller_of(request).actor,
    )


@get("/api/workflows")
async def list_workflows(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> WorkflowPage:
    """The newest version of each workflow, by name."""
    workflows = await server.engine.workflows.list(after=after, limit=limit)
    return WorkflowPage(workflows=workflows, next=workflows[-1].name if len(workflows) == limit else None)


@get("/api/workflows/{name:str}")
async def get_workflow(name: FromPath[str], server: NamedDependency[Server]) -> Workflow:
    """The newest version of a workflow."""
    return await server.engine.workflows.find(name)


@get("/api/workflows/{name:str}/{version:int}")
async def get_workflow_version(
    name: FromPath[str], version: Annotated[int, PathParameter(ge=1, le=2**31 - 1)], server: NamedDependency[Server]
) -> Workflow:
    """One version of a workflow."""
    return await server.engine.workflows.find(name, version=version)


@get("/api/workflows/{name:str}/{version:int}/plan")
async def get_workflow_plan(
    name: FromPath[str], version: Annotated[int, PathParameter(ge=1, le=2**31 - 1)], server: NamedDependency[Server]
) -> WorkflowPlan:
    """What a run of this version would execute: each step with the timeout that it has, and the bounds of another."""
    workflow = await server.engine.workflows.find(name, version=version)
    actions = installed_actions()
    plan = resolve_plan(parse_recipe(msgspec.json.encode(workflow.recipe), actions), None, actions)
    return WorkflowPlan(
        timeout_s=plan.timeout_s, steps=[msgspec.convert(step, StepPlan, from_attributes=True) for step in plan.steps]
    )


HANDLERS: Final = [create_workflow, list_workflows, get_workflow, get_workflow_version, get_workflow_plan]
