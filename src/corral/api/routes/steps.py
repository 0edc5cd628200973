"""Steps of distributed runs: workers claim them, operators look at their graph."""

import asyncio
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, PathParameter

from corral.api.auth import caller_of, check_speaks_for
from corral.api.claims import PrepareSteps
from corral.api.long_poll import first_of, until_gone
from corral.api.server import Server
from corral.model.errors import NotFoundError
from corral.model.records import GraphStep, Job, Step
from corral.model.states import StepStatus
from corral.telemetry import bound
from corral.wire.steps import Claim, Claimed, Graph
from corral.workflow import WHOLE_JOB, Recipe
from corral.workflow.graph import StepGraph

_MOST_ROUNDS: Final = 20
"""How often one claim looks again because all that it got was settled without a worker; the worker asks again anyway."""


@post("/api/nodes/claim", status_code=200)
async def claim_ready_steps(
    data: JSONBody[Claim], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> Claimed:
    """Lease ready steps to a worker; waits up to `wait_s` for one, or for a cancel, and then answers empty."""
    check_speaks_for(request, data.node_id)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + data.wait_s
    gone = asyncio.create_task(until_gone(request))
    wait = server.claims.wait(data.node_id, wants_work=True, cancelling=frozenset(data.cancelling))
    try:
        with bound(node_id=data.node_id), wait as waiter:
            while True:
                waiter.news.clear()
                claimed = await _claim_now(data, server)
                left_s = deadline - loop.time()
                if claimed.steps or claimed.cancel or server.claims.is_over(waiter) or left_s <= 0 or gone.done():
                    return claimed
                await first_of(waiter.news, gone, timeout_s=left_s)
                if gone.done() or server.claims.is_over(waiter):  # looking again would lease steps to nobody
                    return claimed
                await server.doorkeeper.check_still_good(caller_of(request))
    finally:
        gone.cancel()


@get("/api/runs/{run_id:uuid}/graph")
async def get_graph(run_id: FromPath[UUID], server: NamedDependency[Server]) -> Graph:
    """The steps of a distributed run, what they need and how they are; none of a run on devices."""
    run = await server.engine.runs.get(run_id)
    if run.mode == "device":
        return Graph(run_id=run_id, mode="device", version=run.version, job=None, steps=[])
    job = await _job_of(run_id, server)
    told = await server.engine.steps.list_graph(job.job_id)
    workflow = await server.engine.workflows.get(run.workflow_id)
    if workflow.recipe.get("mode") != "local":
        return Graph(run_id=run_id, mode="distributed", version=run.version, job=job, steps=told)
    steps = _local_steps(msgspec.convert(workflow.recipe, Recipe), {step.step: step for step in told})
    return Graph(run_id=run_id, mode="local", version=run.version, job=job, steps=steps)


@get("/api/runs/{run_id:uuid}/graph/{step:str}")
async def get_graph_step(
    run_id: FromPath[UUID],
    step: Annotated[str, PathParameter(max_length=200)],
    server: NamedDependency[Server],
) -> Step:
    """One step of a distributed run in full: its output, too."""
    run = await server.engine.runs.get(run_id)
    if run.mode == "device":
        raise NotFoundError(f"run {run_id} is one on devices", path="run_id")
    found = await server.engine.steps.get((await _job_of(run_id, server)).job_id, step)
    return msgspec.structs.replace(found, lease_token=None)


HANDLERS: Final = [claim_ready_steps, get_graph, get_graph_step]


async def _claim_now(data: Claim, server: Server) -> Claimed:
    steps, nodes = server.engine.steps, server.engine.nodes
    for _ in range(_MOST_ROUNDS):
        if data.phones:
            grants = await steps.claim_with_phones(
                data.node_id, epoch=data.epoch, want=data.want, phones=data.phones, request_id=data.request_id
            )
        else:
            grants = await steps.claim_ready_steps(
                data.node_id, epoch=data.epoch, want=data.want, request_id=data.request_id
            )
        if not grants:
            break
        prepare = PrepareSteps(server.engine, node_id=data.node_id, phones=data.phones)
        claimed = await prepare.prepare(grants)
        if claimed.steps:
            return claimed
    cancel = set(await nodes.list_cancels(data.node_id)).difference(data.cancelling)
    return Claimed(steps=[], runs=[], cancel=sorted(cancel))


async def _job_of(run_id: UUID, server: Server) -> Job:
    jobs = await server.engine.jobs.list(run_id=run_id, limit=1)
    return msgspec.structs.replace(jobs[0], lease_token=None)


def _local_steps(recipe: Recipe, told: dict[str, GraphStep]) -> list[GraphStep]:
    """The recipe's steps, each as its worker last told of it; one that nobody has spoken of yet is pending."""
    graph = StepGraph(recipe.steps)
    whole = told.get(WHOLE_JOB)
    return [
        msgspec.structs.replace(known, needs=graph.needs_by_id(position))
        if (known := told.get(step.id)) is not None
        else GraphStep(
            step=step.id,
            position=position + 1,
            title=step.title or None,
            action=step.uses,
            needs=graph.needs_by_id(position),
            requires=step.requires,
            status=StepStatus.PENDING,
            attempt=0,
            max_attempts=1,
            node_id=None if whole is None else whole.node_id,
            skip_cause=None,
            failure_reason=None,
            error_message=None,
            continue_on_failure=bool(step.continue_on_failure),
            ready_at=None,
            started_at=None,
            finished_at=None,
        )
        for position, step in enumerate(recipe.steps)
    ]
