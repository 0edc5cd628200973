"""Agents: they say that they live, and somebody asks who does."""

from typing import Any, Final

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from corral.api.coordinator.reading import read_body
from corral.api.coordinator.slashes import read_name
from corral.api.server import Server
from corral.model.errors import NoCurrentTaskError
from corral.wire.coordinator import AgentAnswer, AgentsAnswer, HeartbeatBody, TaskAnswer

# What older agents call their status.
_OLDER: Final = {"claude_status": "status"}


@post("/v1/agents/heartbeat", status_code=200)
async def heartbeat_agent(server: NamedDependency[Server], request: Request[Any, Any, Any]) -> AgentAnswer:
    """Make an agent known, or say that it lives: that renews the leases of its tasks."""
    told = await read_body(request, HeartbeatBody, older=_OLDER)
    agent = await server.engine.agents.heartbeat_agent(
        told.agent_id,
        name=told.name,
        status=told.status,
        current_task_id=told.current_task_id,
        meta=told.meta,
    )
    return AgentAnswer(agent)


@get("/v1/agents")
async def list_agents(server: NamedDependency[Server]) -> AgentsAnswer:
    """Agents, online if they were heard within 30 seconds; those heard last come first."""
    return AgentsAnswer(await server.engine.agents.list())


@get("/v1/agents/{agent_id:str}")
async def get_agent(agent_id: FromPath[str], server: NamedDependency[Server]) -> AgentAnswer:
    """One agent."""
    return AgentAnswer(await server.engine.agents.get(read_name(agent_id)))


@get("/v1/agents/{agent_id:str}/current-task")
async def get_current_task(agent_id: FromPath[str], server: NamedDependency[Server]) -> TaskAnswer:
    """The task that an agent was given last and has not ended."""
    agent = await server.engine.agents.get(read_name(agent_id))
    task = await server.engine.tasks.find_current_task(agent.id)
    if task is None:
        raise NoCurrentTaskError(f"agent {agent.id} has no task in progress")
    return TaskAnswer(task)


HANDLERS: Final = [heartbeat_agent, list_agents, get_agent, get_current_task]
