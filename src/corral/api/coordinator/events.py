"""What agents tell."""

from typing import Annotated, Any, Final

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter
from litestar.response import Response

from corral.api.coordinator.reading import read_body
from corral.api.server import Server
from corral.wire.coordinator import EventAnswer, EventBody, EventsAnswer


@post("/v1/events")
async def record_agent_event(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> Response[EventAnswer]:
    """Keep an event. One whose key was used before is answered with 200 and `deduped`, and not kept again."""
    told = await read_body(request, EventBody)
    event = await server.engine.agents.record_agent_event(
        told.type,
        agent_id=told.agent_id,
        task_id=told.task_id,
        payload=told.payload,
        idempotency_key=told.idempotency_key,
    )
    if event is None:
        return Response(EventAnswer(deduped=True), status_code=200)
    return Response(EventAnswer(event=event), status_code=201)


@get("/v1/events")
async def list_agent_events(
    server: NamedDependency[Server],
    *,
    agent_id: FromQuery[str | None] = None,
    task_id: FromQuery[str | None] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> EventsAnswer:
    """Events of an agent, of a task, or all; the newest first."""
    events = await server.engine.agents.list_events(agent_id=agent_id or None, task_id=task_id or None, limit=limit)
    return EventsAnswer(list(events))


HANDLERS: Final = [record_agent_event, list_agent_events]
