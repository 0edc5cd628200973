"""What is said at the coordinator door: agents, channels, chains, tasks and events.

Others wrote the callers of this door: what it does not know is ignored, an empty string or null is a value that was
not given, and every answer wraps its object in its name.
"""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from corral.model.coordinator import Agent, AgentEvent, Chain, Channel, Task, TaskStatus
from corral.model.states import AgentStatus

Name = Annotated[str, Meta(min_length=1, max_length=200)]
Title = Annotated[str, Meta(min_length=1, max_length=1000)]
Text = Annotated[str, Meta(max_length=100_000)]
Priority = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Sequence = Annotated[int, Meta(ge=0, le=2**31 - 2)]


class HeartbeatBody(Struct, frozen=True, kw_only=True):
    """An agent lives."""

    agent_id: Name
    name: Name | None = None
    status: AgentStatus | None = None
    current_task_id: Name | None = None
    meta: dict[str, Any] | None = None


class ChannelBody(Struct, frozen=True, kw_only=True):
    """A channel to make."""

    name: Name
    description: Text | None = None


class ChainBody(Struct, frozen=True, kw_only=True):
    """A chain to make: queued, or locked."""

    channel_id: Name
    name: Name | None = None
    description: Text | None = None
    status: TaskStatus = TaskStatus.QUEUED


class ChainChange(Struct, frozen=True, kw_only=True):
    """What to change of a chain; what is not given stays."""

    name: Name | None = None
    description: Text | None = None
    status: TaskStatus | None = None


class TaskBody(Struct, frozen=True, kw_only=True):
    """A task to make: queued, or locked. Without a chain it gets one of its own, without a sequence the next one."""

    title: Title
    channel_id: Name | None = None
    chain_id: Name | None = None
    sequence: Sequence | None = None
    description: Text | None = None
    priority: Priority | None = None
    status: TaskStatus = TaskStatus.QUEUED


class TaskChange(Struct, frozen=True, kw_only=True):
    """What to change of a task; what is not given stays. One that waits can be locked, and queued again."""

    title: Title | None = None
    description: Text | None = None
    priority: Priority | None = None
    status: TaskStatus | None = None


class ClaimBody(Struct, frozen=True, kw_only=True):
    """Asks for the next task of a channel, which is named by its id or by its name."""

    agent_id: Name
    channel_id: Name | None = None
    channel: Name | None = None
    idempotency_key: Name | None = None


class AssignBody(Struct, frozen=True, kw_only=True):
    """Gives a task to an agent."""

    task_id: Name
    agent_id: Name
    idempotency_key: Name | None = None


class EndBody(Struct, frozen=True, kw_only=True):
    """Ends a task; `reason` says why it failed."""

    task_id: Name
    agent_id: Name
    idempotency_key: Name | None = None
    reason: Text | None = None


class EventBody(Struct, frozen=True, kw_only=True):
    """What an agent tells."""

    type: Name
    agent_id: Name | None = None
    task_id: Name | None = None
    payload: Any = None
    idempotency_key: Name | None = None


class AgentAnswer(Struct, frozen=True):
    """One agent."""

    agent: Agent


class AgentsAnswer(Struct, frozen=True):
    """Agents, those heard last first."""

    agents: list[Agent]


class ChannelAnswer(Struct, frozen=True):
    """One channel."""

    channel: Channel


class ChannelsAnswer(Struct, frozen=True):
    """Channels by name."""

    channels: list[Channel]


class ChainAnswer(Struct, frozen=True):
    """One chain."""

    chain: Chain


class ChainsAnswer(Struct, frozen=True):
    """Chains, oldest first."""

    chains: list[Chain]


class TaskAnswer(Struct, frozen=True):
    """One task."""

    task: Task


class TasksAnswer(Struct, frozen=True):
    """Tasks, those that have not ended first."""

    tasks: list[Task]


class EventAnswer(Struct, frozen=True, kw_only=True):
    """The event, or the word that its key was used before."""

    event: AgentEvent | UnsetType = UNSET
    deduped: bool | UnsetType = UNSET


class EventsAnswer(Struct, frozen=True):
    """Events, newest first."""

    events: list[AgentEvent]


class Overview(Struct, frozen=True, kw_only=True):
    """Everything at a glance, at most a second old."""

    agents: list[Agent]
    channels: list[Channel]
    chains: list[Chain]
    tasks: list[Task]
    events: list[AgentEvent]
