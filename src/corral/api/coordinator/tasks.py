"""Tasks: made by somebody, claimed and ended by agents."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery

from corral.api.auth import caller_of
from corral.api.coordinator.reading import read_body, read_filter, read_id
from corral.api.server import Server
from corral.model.coordinator import TaskStatus
from corral.model.errors import InvalidRequestError, NoTasksError
from corral.wire.coordinator import AssignBody, ClaimBody, EndBody, TaskAnswer, TaskBody, TaskChange, TasksAnswer

_WAITING: Final = frozenset({TaskStatus.QUEUED, TaskStatus.LOCKED})


@post("/v1/tasks")
async def append_task(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> TaskAnswer:
    """Make a task: in a chain, or in one of its own; at its end, or where a sequence puts it."""
    told = await read_body(request, TaskBody)
    if told.status not in _WAITING:
        raise InvalidRequestError(f"a task cannot begin as {told.status}", path="status")
    if told.channel_id is None and told.chain_id is None:
        raise InvalidRequestError("channel_id or chain_id is needed", path="channel_id")
    task = await server.engine.tasks.append_task(
        told.title,
        channel_id=None if told.channel_id is None else read_id(told.channel_id, noun="channel"),
        chain_id=None if told.chain_id is None else read_id(told.chain_id, noun="chain"),
        sequence=told.sequence,
        description=told.description,
        priority=told.priority,
        is_locked=told.status is TaskStatus.LOCKED,
        actor=caller_of(request).actor,
    )
    return TaskAnswer(task)


@get("/v1/tasks")
async def list_tasks(
    server: NamedDependency[Server],
    channel_id: FromQuery[str | None] = None,
    chain_id: FromQuery[str | None] = None,
    status: FromQuery[str | None] = None,
) -> TasksAnswer:
    """A thousand tasks at most: those that have not ended, oldest first, then the others, newest first; a chain in order."""
    if status and status not in set(TaskStatus):
        raise InvalidRequestError(f"no status {status}: one of {', '.join(TaskStatus)}", path="status")
    tasks = await server.engine.tasks.list(
        channel_id=read_filter(channel_id),
        chain_id=read_filter(chain_id),
        status=TaskStatus(status) if status else None,
    )
    return TasksAnswer(tasks)


@get("/v1/tasks/{task_id:str}")
async def get_task(task_id: FromPath[str], server: NamedDependency[Server]) -> TaskAnswer:
    """One task."""
    return TaskAnswer(await server.engine.tasks.get(read_id(task_id, noun="task")))


@put("/v1/tasks/{task_id:str}")
async def update_task(
    task_id: FromPath[str], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> TaskAnswer:
    """Change a task's words or priority, or set one aside that waits (locked), and let it be claimed again (queued)."""
    told = await read_body(request, TaskChange)
    if told.status is not None and told.status not in _WAITING:
        raise InvalidRequestError("a person may lock a task or queue it; agents do the rest", path="status")
    task = await server.engine.tasks.update_task(
        read_id(task_id, noun="task"),
        title=told.title,
        description=told.description,
        priority=told.priority,
        status=told.status,
        actor=caller_of(request).actor,
    )
    return TaskAnswer(task)


@post("/v1/tasks/claim", status_code=200)
async def claim_task(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> TaskAnswer:
    """The next task of a channel; the same key again, the same task. 404 with the code no_tasks where there is none."""
    told = await read_body(request, ClaimBody)
    task = await server.engine.tasks.claim_task(
        told.agent_id, channel_id=await _find_channel(server, told), idempotency_key=told.idempotency_key
    )
    if task is None:
        raise NoTasksError("nothing to do in this channel")
    return TaskAnswer(task)


@post("/v1/tasks/assign", status_code=200)
async def assign_task(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> TaskAnswer:
    """Give a waiting task to an agent by hand, a locked one too."""
    told = await read_body(request, AssignBody)
    task = await server.engine.tasks.assign_task(
        told.agent_id, read_id(told.task_id, noun="task"), idempotency_key=told.idempotency_key
    )
    return TaskAnswer(task)


@post("/v1/tasks/complete", status_code=200)
async def complete_task(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> TaskAnswer:
    """The task is done; one that is already stays as it is."""
    told = await read_body(request, EndBody)
    return TaskAnswer(await server.engine.tasks.complete_task(told.agent_id, read_id(told.task_id, noun="task")))


@post("/v1/tasks/fail", status_code=200)
async def fail_task(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> TaskAnswer:
    """The task has failed, and its chain with it; one that has already stays as it is."""
    told = await read_body(request, EndBody)
    task_id = read_id(told.task_id, noun="task")
    return TaskAnswer(await server.engine.tasks.fail_task(told.agent_id, task_id, reason=told.reason))


async def _find_channel(server: Server, told: ClaimBody) -> UUID:
    if told.channel_id is not None:
        return read_id(told.channel_id, noun="channel")
    if told.channel is None:
        raise InvalidRequestError("channel_id or channel is needed", path="channel_id")
    return await server.engine.channels.find_id(told.channel)


HANDLERS: Final = [
    append_task,
    list_tasks,
    get_task,
    update_task,
    claim_task,
    assign_task,
    complete_task,
    fail_task,
]
