"""Runs: asking for work, following it, stopping it."""

import time
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.response import Response

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.model.errors import ConflictError, InvalidRequestError
from corral.model.records import NewStep, Run, Workflow
from corral.model.states import RunStatus
from corral.telemetry import bound
from corral.wire.runs import Explanations, LogPage, RetryRequest, RunPage, RunRequest, StepTallies
from corral.workflow import SESSION, Recipe, distribute, installed_actions, plan_request, resolve_plan

# Whether a device is online is nobody's change: tiles are told anew this often, even if the run's version stays.
_LIVENESS_S: Final = 30


@post("/api/runs")
async def create_run(
    data: JSONBody[RunRequest], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Run:
    """Execute a workflow on a target. Params and overrides are checked against the recipe, with the value's path."""
    workflow = await server.engine.workflows.find(data.workflow, version=data.version)
    if data.replay_of is not None:
        await server.engine.runs.get(data.replay_of)
    recipe = read_recipe(workflow)
    planned = plan_request(recipe, msgspec.to_builtins(data))
    await server.engine.files.check_input_files(recipe)
    return await server.engine.runs.create_run(workflow.workflow_id, planned, actor=caller_of(request).actor)


@get("/api/runs")
async def list_runs(
    server: NamedDependency[Server],
    *,
    workspace: FromQuery[str] = "default",
    status: FromQuery[list[RunStatus] | None] = None,
    reviewed: FromQuery[bool | None] = None,
    source_type: Annotated[str | None, QueryParameter(max_length=200)] = None,
    source_id: Annotated[str | None, QueryParameter(max_length=200)] = None,
    log_path: Annotated[str | None, QueryParameter(max_length=1000)] = None,
    before: FromQuery[datetime | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=500)] = 50,
) -> RunPage:
    """Runs of a workspace, newest first: those in certain states, of one source, with one log, looked at or not, or all.

    Sessions are left out, unless `source_type` asks for them.
    """
    if before is not None and before.tzinfo is None:
        raise InvalidRequestError("before must have a time zone", path="before")
    runs = await server.engine.runs.list(
        workspace=workspace,
        statuses=status,
        is_reviewed=reviewed,
        source_type=source_type,
        source_id=source_id,
        log_path=log_path,
        before=before,
        limit=limit,
    )
    return RunPage(runs=runs, next=runs[-1].created_at if len(runs) == limit else None)


@get("/api/runs/{run_id:uuid}")
async def get_monitor(
    run_id: FromPath[UUID],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
    device: Annotated[str | None, QueryParameter(max_length=128)] = None,
) -> Response[bytes]:
    """The monitor view; `device` selects one by its number or serial. 304 where the ETag is still right."""
    with bound(run_id=str(run_id)):
        etag = f'"{await server.engine.runs.get_run_version(run_id)}.{int(time.time() // _LIVENESS_S)}"'
        headers = {"etag": etag, "cache-control": "private, no-cache"}
        if etag in request.headers.get("if-none-match", ""):
            return Response(b"", status_code=304, headers=headers)
        view = await server.engine.runs.get_monitor(run_id, device=device)
    return Response(view, media_type="application/json", headers=headers)


@get("/api/runs/{run_id:uuid}/explain")
async def explain_run(
    run_id: FromPath[UUID],
    server: NamedDependency[Server],
    after: Annotated[int, QueryParameter(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=5000)] = 1000,
) -> Explanations:
    """Why each job that has not started waits, by device number."""
    jobs = await server.engine.runs.explain_run(run_id, after=after, limit=limit)
    numbers = [job.index_no for job in jobs if job.index_no is not None]
    return Explanations(jobs=jobs, next=numbers[-1] if len(numbers) == limit else None)


@get("/api/runs/{run_id:uuid}/steps")
async def tally_steps(
    run_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Response[StepTallies]:
    """How each step went over all jobs: draws, ends, and how long it took. 304 where the ETag is still right."""
    etag = f'"{await server.engine.runs.get_run_version(run_id)}"'
    headers = {"etag": etag, "cache-control": "private, no-cache"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(None, status_code=304, headers=headers)  # type: ignore[arg-type]
    return Response(StepTallies(steps=await server.engine.runs.tally_steps(run_id)), headers=headers)


@get("/api/runs/{run_id:uuid}/logs")
async def list_run_logs(
    run_id: FromPath[UUID],
    server: NamedDependency[Server],
    *,
    device: Annotated[str | None, QueryParameter(max_length=128)] = None,
    step: Annotated[str | None, QueryParameter(max_length=200)] = None,
    after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
    limit: Annotated[int, QueryParameter(ge=1, le=5000)] = 1000,
) -> LogPage:
    """The log lines of a run, or of one of its devices or steps; asked again with `next`, what has come since."""
    lines = await server.engine.runs.list_run_logs(run_id, device=device, step=step, after=after, limit=limit)
    return LogPage(lines=lines, next=lines[-1].line_no if lines else after)


@post("/api/runs/{run_id:uuid}/cancel", status_code=200)
async def cancel_run(run_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Run:
    """Cancel what waits, ask nodes to stop what runs. Repeating it is safe."""
    with bound(run_id=str(run_id)):
        return await server.engine.runs.cancel_run(run_id, actor=caller_of(request).actor)


@post("/api/runs/{run_id:uuid}/review", status_code=200)
async def review_run(run_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Run:
    """Note that somebody looked at an ended run: it leaves the to-do list."""
    with bound(run_id=str(run_id)):
        return await server.engine.runs.review_run(run_id, actor=caller_of(request).actor)


@post("/api/runs/{run_id:uuid}/retry")
async def retry_run(
    run_id: FromPath[UUID],
    data: JSONBody[RetryRequest],
    server: NamedDependency[Server],
    request: Request[Any, Any, Any],
) -> Run:
    """A new run on the devices where this one did not succeed; of a distributed run, all of it once more."""
    with bound(run_id=str(run_id)):
        steps = await _check_again(run_id, server)
        return await server.engine.runs.retry_run(
            run_id, statuses=data.statuses, indexes=data.indexes, steps=steps, actor=caller_of(request).actor
        )


@post("/api/runs/{run_id:uuid}/replay")
async def replay_run(run_id: FromPath[UUID], server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Run:
    """The same run once more, on the very devices that it had, so that every draw repeats."""
    with bound(run_id=str(run_id)):
        steps = await _check_again(run_id, server)
        return await server.engine.runs.replay_run(run_id, steps=steps, actor=caller_of(request).actor)


HANDLERS: Final = [
    create_run,
    list_runs,
    get_monitor,
    explain_run,
    tally_steps,
    list_run_logs,
    cancel_run,
    review_run,
    retry_run,
    replay_run,
]


async def _check_again(run_id: UUID, server: Server) -> list[NewStep] | None:
    """The steps of a distributed run that is to be had once more. Raises what `check_input_files` raises."""
    run = await server.engine.runs.get(run_id)
    if run.source_type == SESSION:
        raise ConflictError("this run was a session: open another one", path="run_id")
    workflow = await server.engine.workflows.get(run.workflow_id)
    recipe = read_recipe(workflow)
    await server.engine.files.check_input_files(recipe)
    if run.mode == "device":
        return None
    return distribute(recipe, resolve_plan(recipe, run.overrides or None, installed_actions()))


def read_recipe(workflow: Workflow) -> Recipe:
    """A workflow's recipe. Raises ConflictError for one without steps: chains of tasks are made of such."""
    if not workflow.recipe.get("steps"):
        raise ConflictError(f"workflow {workflow.name} has no steps to execute")
    return msgspec.convert(workflow.recipe, Recipe)
